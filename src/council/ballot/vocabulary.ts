/** The words that announce a ranking, name an answer or mark a tie, in lower case. */

const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter(Boolean));

/** Nouns and verbs for a ranking. */
const rankingNouns = set(`
  ranking rankings rank ranks ranked finalranking leaderboard standings
  rangliste rangfolge rangordnung classement ranglijst clasificación clasificacion classificação
  classificacao classifica graduatoria рейтинг ранжирование класиране rangschikking eindrangschikking
  rankning rangordning rangering pořadí clasament paremmuusjärjestys sıralama siralama κατάταξη peringkat hạng
  الترتيب التصنيف رتبهبندی דירוג रैंकिंग
`);
const rankingWithoutSpaces = /排名|排序|ランキング|順位|순위|랭킹|อันดับ/;

/** A heading with one of these may contain unknown words. */
export const finalWords = set(`
  final overall finale finaler finales endgültige endgültiges abschließende abschließendes abschliessende
  abschliessendes definitive definitivo definitieve итоговый финальный окончательный фінальний підсумковий
  остаточний окончателно końcowy ostateczny finalny finałowy slutlig slutgiltig endelig konečné lopullinen nihai
  ni\u0307hai\u0307 τελική akhir cuối النهائي نهایی סופי अंतिम 최종
`);

/** Announce another author's text, usually an answer's. */
export const quotingWords = set(`
  contains contained claims says said inject injected injection inserted embeds embedded hides hidden
  fake trick tricks tries attempt attempts prompt asks tells states reads writes wrote quote quotes
  quoted demands commands includes included appears attack cheat ends ending manipulate instructs
`);

/** Show that a heading is about something else: a draft, an example, a task, the reasons for a ranking. */
export const disqualifyingWords = new Set([
  ...quotingWords,
  ...set(`
    initial preliminary tentative provisional draft previous earlier prior original example sample
    template format expected their its his her your rationale explanation justification reasoning
    criteria criterion notes note analysis discussion comments reasons reason explained methodology
    process before will provide giving instructed instruction instructions wrong incorrect not no cannot
    without avoid unable
  `),
]);

/** Begin a sentence about another person or case, as in `For a student, the ranking would be …`. */
export const conditionWords = set('for if had were with');

/** Words that refuse to rank. */
export const refusalWords = set(
  `cannot can't can’t couldn't won't unable refuse decline impossible unfair`,
);

/** Words that a heading may contain besides the noun. */
const headingWords = set(`
  a about above across after aggregate all am an and answer answers are as assessment at based be being
  below best better blind bottom collective combined comparative complete concluding conclude conclusion
  consensus considered considering decreasing descending ascending evaluation evaluations finally first five follow
  following follows for four from full given gives go goes great greatest group have hence here here's
  highest i i'd i'll i’d i’ll i've i’ve in increasing independent into is it judgement judgment last
  least leads let level list listing lowest me merit most my of on one option options
  or order ordered ordering our peer personal place places placing preference preferred preferring
  proposed put quality quite rated recommended relative response responses candidate candidates result
  resulting results reverse review reviews reviewer section seven six so step strength stronger strongest suggested
  summary task that the them then therefore these they this three thus to top two terms us usefulness
  using value verdict was we weaker weakest with work worse worst would you according analysed
  json helpfulness overall final replies reply entries entry submissions model models sages
  order part stage phase der die das meine mein meiner von bis lautet abschließende abschließend el la le les de del du des mon ma mi minha xếp cùng
`);

/** Words before an unannounced chain, e.g. `Verdict: C > A > B`. */
export const leadWords = set(`
  overall verdict summary conclusion result results order preference final in short so thus therefore
  hence my the is as follows i'd i’d say i would judgement judgment bottom line vote votes pick picks
  decision assessment
`);

/** Words for an answer before its label, singular and plural. */
export const labelWords = set(`
  response responses resp answer answers option options candidate candidates reply replies model models
  assistant assistants submission submissions entry entries output outputs solution solutions text
  proposal proposals essay essays sage sages agent agents advisor advisors author authors label choice
  antwort antworten réponse réponses reponse respuesta respuestas resposta respostas risposta risposte
  antwoord antwoorden ответ вариант відповідь отговор odpowiedź svar yanıt cevap odpověď vastaus răspuns răspunsul
  απάντηση respons jawaban الإجابة إجابة الرد پاسخ תשובה उत्तर 回答 答案 响应 選項 选项 回复 応答 응답 답변
`);

export const tieWords = set(
  'tie tied ties tying joint jointly equal equals equally shared level even',
);

/** Words after a bare letter that show it's a label, not an article, e.g. `A is`, `A and`. */
export const afterLabelWords = set(`
  is was has wins and or & then because since as with for by due are remains gives provides offers
  stands comes followed over tie tied equal
`);

/** The place of `worst`, whatever their number. */
export const lastPlace = Number.MAX_SAFE_INTEGER;

const placeWords = new Map<string, number>([
  ['first', 1],
  ['best', 1],
  ['winner', 1],
  ['second', 2],
  ['runner-up', 2],
  ['third', 3],
  ['fourth', 4],
  ['fifth', 5],
  ['sixth', 6],
  ['seventh', 7],
  ['eighth', 8],
  ['ninth', 9],
  ['tenth', 10],
  ['last', lastPlace],
  ['worst', lastPlace],
]);

/** Words for the first place in a sentence, besides those of {@link placeOf}. */
export const bestWords = set('strongest top wins beste besten meilleure mejor');
/** In a sentence, say that the next answer comes after the last. */
export const stepWords = set(
  'then next finally lastly followed gefolgt dann zuletzt suivie puis seguida luego',
);
/** Words that a sentence may have besides names, places and steps. */
export const sentenceWords = set(
  'overall final i put rank place placed ranks ranked comes goes is was the as in by and ist die der von und est la de es y',
);

/** Words before or after the number of a place: `Rank 1`, `1st place`. */
export const placeNouns = set('rank ranked place position spot platz puesto rang choice');
/** Words before any number: `No. 1`. */
export const counters = set('no nr number num');

export const isRankingNoun = (word: string): boolean =>
  rankingNouns.has(word) || rankingWithoutSpaces.test(word);
export const isHeadingWord = (word: string): boolean =>
  headingWords.has(word) || labelWords.has(word) || isRankingNoun(word);
/** The place that a word means: `first` is 1, `last` a very large number. */
export const placeOf = (word: string): number | undefined => placeWords.get(word);

const announcing = new RegExp(
  [...rankingNouns, 'order|best|worst|strongest|weakest', rankingWithoutSpaces.source].join('|'),
  'i',
);
/** A cheap check whether a text may contain a heading. */
export const mayAnnounceRanking = (text: string): boolean => announcing.test(text);
