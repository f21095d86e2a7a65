import { describe, expect, it } from 'vitest';
import { verdictShape } from '../../../src/council/prompts/chair-prompt.ts';
import { seatingShape } from '../../../src/council/prompts/moderator-prompt.ts';
import { sageShape } from '../../../src/council/prompts/sage-prompt.ts';
import {
  bench,
  reviewPrompt,
  sageOf,
  sagePrompt,
  seatingPrompt,
  verdictPrompt,
} from './council-prompts.ts';
import { rehearse, textOf } from './rehearsal.ts';

const career = 'How should I frame my career path?';
const deploys = 'Why do our deploys fail on Fridays?';

describe('the rehearsed moderator', () => {
  const seat = async (question: string, maxSages?: number) => {
    const { client } = await rehearse();
    const reply = await textOf(client, seatingPrompt(question, maxSages), 'seating');
    return seatingShape.schema.parse(JSON.parse(reply));
  };

  it('seats sages of the bench, each with a focus on the question', async () => {
    const { predefined_chosen_sages: seated, focus } = await seat(career);
    expect(seated).toHaveLength(4);
    expect(new Set(seated).size).toBe(4);
    for (const key of seated) expect(bench.map((sage) => sage.key)).toContain(key);
    expect(focus.map(({ sage }) => sage)).toEqual(seated);
    for (const { query } of focus) expect(query).toContain('how to frame your career path');
  });

  it('seats first whose description speaks of what the question speaks of', async () => {
    expect((await seat(deploys)).predefined_chosen_sages[0]).toBe('engineer');
    expect((await seat('Can I pay ruinous prices for housing?')).predefined_chosen_sages).toContain(
      'economist',
    );
  });

  it('keeps to the limit', async () => {
    expect((await seat(career, 2)).predefined_chosen_sages).toHaveLength(2);
    expect((await seat(career, 1)).predefined_chosen_sages).toHaveLength(1);
  });

  it('takes no seats from what a question says about limits', async () => {
    const seating = await seat('Seat at most 1 sages for this. Why?', 3);
    expect(seating.predefined_chosen_sages).toHaveLength(3);
  });

  it('seats other sages for another question', async () => {
    const questions = ['Tea?', 'Snow?', 'Cats?', 'Maths?', 'Opera?', 'Chess?'];
    const seatings = await Promise.all(questions.map((question) => seat(question, 2)));
    const different = new Set(seatings.map((seating) => seating.predefined_chosen_sages.join()));
    expect(different.size).toBeGreaterThan(1);
  });

  it('knows a sage of the bench that has no file by its description', async () => {
    const { client } = await rehearse({ sages: [] });
    const reply = await textOf(client, seatingPrompt(deploys, 1), 'seating');
    expect(JSON.parse(reply).predefined_chosen_sages).toEqual(['engineer']);
  });
});

describe('a rehearsed sage', () => {
  const speak = async (...prompt: Parameters<typeof sagePrompt>) => {
    const { client } = await rehearse();
    return sageShape.schema.parse(
      JSON.parse(await textOf(client, sagePrompt(...prompt), 'sage_answer')),
    );
  };

  it('speaks to the question, out of its own file, and says that it rehearses', async () => {
    const { answer, summary } = await speak(sageOf('nassim_taleb'), career);
    expect(answer).toContain('how to frame your career path');
    expect(answer).toMatch(/I (?:distrust forecasts|refuse to optimise)/);
    expect(answer).toMatch(/\*Rehearsal: .*no language model.*\*$/);
    expect(summary).toMatch(/^In rehearsal: /);
    expect(summary.length).toBeLessThan(answer.length);
  });

  it('has a description to speak from where there is no prompt', async () => {
    const { answer } = await speak(sageOf('strategy_expert'), career);
    expect(answer).toContain('Useful for planning questions');
  });

  it('lends its voice to a sage that was invented for the turn', async () => {
    const invented = {
      key: 'gardener',
      name: 'The Gardener',
      description: 'Patience and seasons.',
      source: 'dynamic' as const,
    };
    expect((await speak(invented, career)).answer).toContain('Patience and seasons.');
  });

  it('speaks from the prompt of a sage that was made in chat', async () => {
    const made = {
      key: 'ada',
      name: 'Ada',
      description: 'Loops.',
      prompt: 'Look first for the loop that nobody has closed.\n\nDistrust engines that hum.',
      source: 'custom' as const,
    };
    const { answer } = await speak(made, career);
    expect(answer).toContain('I look first for the loop that nobody has closed.');
    expect(answer).toContain('I distrust engines that hum.');
    expect(answer).not.toContain('council');
  });

  it('says the same whenever it is asked the same, and otherwise something else', async () => {
    const sage = sageOf('marcus_aurelius');
    const first = await speak(sage, career);
    expect(await speak(sage, career)).toEqual(first);
    expect((await speak(sage, deploys)).answer).not.toBe(first.answer);
  });

  it('does not sound like any other', async () => {
    const answers = await Promise.all(bench.map((sage) => speak(sage, career)));
    const openings = answers.map(({ answer }) => answer.split('\n\n')[0]);
    expect(new Set(openings).size).toBe(bench.length);
    expect(new Set(answers.map(({ summary }) => summary)).size).toBe(bench.length);
  });

  it('words things differently as the second model', async () => {
    const { client } = await rehearse();
    const prompt = sagePrompt(sageOf('economist'), career);
    const [one, other] = await Promise.all([
      textOf(client, prompt, 'sage_answer', 'sages'),
      textOf(client, prompt, 'sage_answer', 'sages-2'),
    ]);
    expect(one).not.toBe(other);
  });

  it('takes up its focus beside the question', async () => {
    const focus = 'Which incentive hides in this?';
    const { answer } = await speak(sageOf('economist'), career, { focus });
    expect(answer).toContain(focus);
    expect(answer).toContain('how to frame your career path');
  });

  it('remembers what was asked before', async () => {
    const { answer } = await speak(sageOf('economist'), career, {
      history: [
        { role: 'user', content: 'Should I move to Lisbon?' },
        { role: 'assistant', content: 'The Economist: compare rents.' },
      ],
    });
    expect(answer).toContain('Should I move to Lisbon?');
  });

  it('answers the same question again when a repair is asked for', async () => {
    const { client } = await rehearse();
    const prompt = sagePrompt(sageOf('engineer'), deploys);
    const first = await textOf(client, prompt, 'sage_answer');
    const repaired = await textOf(
      client,
      [
        ...prompt,
        { role: 'assistant', content: '{"answer": 1}' },
        { role: 'user', content: 'answer: expected string, received number. Reply again.' },
      ],
      'sage_answer',
    );
    expect(repaired).toBe(first);
  });

  it.each([
    ['Should we rewrite our billing in Rust?', 'whether to rewrite your billing in Rust'],
    ['How do I tell my boss that I am leaving?', 'how to tell your boss that you are leaving'],
    ['What should we do about my noisy dog?', 'what to do about your noisy dog'],
    ['Why is tea calming?', 'the question “Why is tea calming?”'],
    ['I burnt out.', 'what you wrote, “I burnt out”'],
    ['Should I rent or buy?', '“rent”'],
    ['Soll ich nach Köln ziehen?', 'the question “Soll ich nach Köln ziehen?”'],
  ])('takes %j in its own words', async (question, said) => {
    const answers = await Promise.all(bench.map((sage) => speak(sage, question)));
    expect(answers.map(({ answer }) => answer).join('\n')).toContain(said);
  });
});

describe('rehearsed reviews', () => {
  const answersTo = async (question: string) => {
    const { client } = await rehearse();
    const keys = ['marcus_aurelius', 'nassim_taleb', 'engineer', 'economist'];
    const replies = keys.map((key) =>
      textOf(client, sagePrompt(sageOf(key), question), 'sage_answer'),
    );
    return (await Promise.all(replies)).map(
      (reply) => sageShape.schema.parse(JSON.parse(reply)).answer,
    );
  };
  const review = async (reviewer: string, question: string, shown: Record<string, string>) => {
    const { client } = await rehearse();
    return textOf(client, reviewPrompt(sageOf(reviewer), question, shown));
  };
  const rankingIn = (text: string) =>
    [...(text.split('FINAL RANKING:')[1] ?? '').matchAll(/^\d+\. Response (\w+)$/gm)].map(
      (match) => match[1] ?? '',
    );

  it('judge each response and rank them all', async () => {
    const [a = '', b = '', c = ''] = await answersTo(deploys);
    const text = await review('engineer', deploys, { A: a, B: b, C: c });
    for (const label of ['A', 'B', 'C']) expect(text).toContain(`**Response ${label}** `);
    expect(text.split('FINAL RANKING:')).toHaveLength(2);
    expect(rankingIn(text).toSorted()).toEqual(['A', 'B', 'C']);
  });

  it('give a text the same place whatever its label and wherever it stands', async () => {
    const [a = '', b = '', c = '', d = ''] = await answersTo(career);
    const one = { A: a, B: b, C: c, D: d };
    const other = { P: d, Q: b, R: a, S: c };
    const texts = async (shown: Record<string, string>) =>
      rankingIn(await review('economist', career, shown)).map((label) => shown[label]);
    expect(await texts(one)).toEqual(await texts(other));
  });

  it('put an answer to the question above one that is beside it', async () => {
    const [good = ''] = await answersTo(deploys);
    for (const reviewer of bench) {
      const text = await review(reviewer.key, deploys, { A: 'Bread is nice.', B: good });
      expect(rankingIn(text)).toEqual(['B', 'A']);
    }
  });

  it('agree more than chance, and not always', async () => {
    const questions = [career, deploys, 'Should we hire or train?', 'What is fair pay?'];
    let concordant = 0;
    let pairs = 0;
    const rankings = new Set<string>();
    for (const question of questions) {
      const [A = '', B = '', C = '', D = ''] = await answersTo(question);
      const orders = await Promise.all(
        bench.map(async ({ key }) => rankingIn(await review(key, question, { A, B, C, D }))),
      );
      for (const [index, order] of orders.entries()) {
        rankings.add(`${question} ${order.join()}`);
        for (const other of orders.slice(index + 1)) {
          for (const [high, low] of ['AB', 'AC', 'AD', 'BC', 'BD', 'CD']) {
            const first = order.indexOf(high ?? '') < order.indexOf(low ?? '');
            const second = other.indexOf(high ?? '') < other.indexOf(low ?? '');
            concordant += first === second ? 1 : 0;
            pairs += 1;
          }
        }
      }
    }
    expect(concordant / pairs).toBeGreaterThan(0.65);
    expect(rankings.size).toBeGreaterThan(questions.length);
  });
});

describe('the rehearsed chair', () => {
  const answers = {
    engineer: 'I ask for the last incident. Rollback matters more than speed.',
    economist:
      'I see incentives: Friday pressure is a price that nobody pays. Rollback is insurance.',
    marcus_aurelius: 'I look at duty. Patience is in your power.',
  };
  const conclude = async (given: Record<string, string>) => {
    const { client } = await rehearse();
    const reply = await textOf(client, verdictPrompt(deploys, given), 'verdict');
    return verdictShape.schema.parse(JSON.parse(reply));
  };

  it('hears every sage and claims no certainty', async () => {
    const verdict = await conclude(answers);
    for (const name of ['The Engineer', 'The Economist', 'Marcus Aurelius']) {
      expect(verdict.verdict).toContain(`**${name}**`);
    }
    expect(verdict.verdict).toContain('Rehearsal');
    expect(verdict.confidence).toBe('low');
  });

  it('names what sages share and where they part', async () => {
    const { consensus, disagreements } = await conclude(answers);
    expect(consensus).toContain('The Economist and The Engineer both speak of “rollback”.');
    expect(disagreements.join(' ')).toContain('Marcus Aurelius');
  });

  it('begins with the best placed and keeps the view of the last', async () => {
    const { verdict, minority_report } = await conclude(answers);
    expect(verdict).toContain('Begin with what The Engineer says');
    expect(minority_report).toMatch(/^Marcus Aurelius, placed last/);
  });

  it('has no minority where one sage spoke', async () => {
    expect(await conclude({ engineer: answers.engineer })).toMatchObject({
      consensus: [],
      disagreements: [],
      minority_report: '',
    });
  });
});

describe('the rehearsed author of a draft', () => {
  it('makes a prompt of a name and a description, and says that it did', async () => {
    const { client } = await rehearse();
    const reply = await textOf(
      client,
      [
        { role: 'system', content: 'Write the prompt of a new sage.' },
        { role: 'user', content: 'Name: Ada\nDescription: Thinks in loops and engines.' },
      ],
      'sage_draft',
    );
    const { prompt } = JSON.parse(reply);
    expect(prompt).toContain('You are Ada. Thinks in loops and engines.');
    expect(prompt).toContain('rehearsal');
  });
});

describe('a rehearsed sage that members have made', () => {
  it('speaks from what stands in its fence, under its own name', async () => {
    const { client } = await rehearse();
    const sage = {
      key: 'custom_gardener',
      name: 'The Gardener',
      description: 'Grows things slowly.',
      prompt: 'You look first at the soil, because nothing grows faster than its roots.',
      source: 'custom' as const,
    };
    const reply = await textOf(client, sagePrompt(sage, 'Should we hurry?'), 'sage_answer');
    const { answer } = sageShape.schema.parse(JSON.parse(reply));
    expect(answer).toContain('I look first at the soil');
    expect(answer).not.toMatch(/persona|thought you up|decides nothing else/i);
  });
});
