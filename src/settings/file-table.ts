/** Every setting of `council.yaml`, with its range, default and description. */

import { z } from 'zod';
import { channelTable } from './channel-table.ts';
import {
  answerMissedMinutes,
  baseUrl,
  dollars,
  group,
  line,
  milliseconds,
  oneOf,
  originList,
  pattern,
  sageKey,
  wholeNumber,
} from './file-kinds.ts';
import { modelSettings } from './model-settings.ts';
import { filePreset, presetKey } from './preset-settings.ts';
import { groupInFile } from './setting-definition.ts';

const councilSettings = group({
  ...groupInFile(channelTable, 'council'),
  maxSages: wholeNumber(1, 8, 4).default(4).meta({ description: 'How many sages sit at most.' }),
  fallbackSage: sageKey
    .default('strategy_expert')
    .meta({ description: 'The sage that sits when the moderator names none.' }),
  chairTurns: wholeNumber(0, 20, 3).default(3).meta({
    description:
      'How many of the last questions of a thread the chair sees, with their verdicts, whatever `memory` says about the sages’ prompts; 0: none.',
  }),
});

const limitSettings = group({
  ...groupInFile(channelTable, 'limits'),
  moderatorTimeoutMs: milliseconds(1000, 120_000)
    .default(120_000)
    .meta({ description: 'How long the moderator may take, in milliseconds.' }),
  sageTimeoutMs: milliseconds(1000, 120_000)
    .default(120_000)
    .meta({ description: 'How long each sage may take, in milliseconds.' }),
  reviewTimeoutMs: milliseconds(1000, 120_000)
    .default(120_000)
    .meta({ description: 'How long each review may take, in milliseconds.' }),
  chairTimeoutMs: milliseconds(1000, 180_000)
    .default(180_000)
    .meta({ description: 'How long the chair may take, in milliseconds.' }),
  quorumShare: z
    .number({ error: 'a share above 0 and up to 1. Write e.g. 0.75' })
    .gt(0, { error: 'a share above 0 and up to 1. Write e.g. 0.75' })
    .lte(1, { error: 'a share above 0 and up to 1. Write e.g. 0.75' })
    .default(0.75)
    .meta({ description: 'Share of the sages whose answers start the grace period.' }),
  graceMs: milliseconds(0, 20_000).default(20_000).meta({
    description: 'How long the others still get once that share has answered, in milliseconds.',
  }),
  maxAnswerChars: wholeNumber(500, 200_000, 12_000).default(12_000).meta({
    description: 'How much of an answer reviewers and the chair read, in characters.',
  }),
  maxQuestionChars: wholeNumber(100, 100_000, 6000)
    .default(6000)
    .meta({ description: 'Maximum length of a question, in characters.' }),
  contextMessages: wholeNumber(0, 100, 20).default(20).meta({
    description:
      'How many messages around a question are read with it, in Discord and Slack: of its thread (the first and the newest), of what it replies to, and earlier ones. 0 reads none.',
  }),
  contextChars: wholeNumber(100, 100_000, 8000).default(8000).meta({
    description: 'Length of all of them together, in characters.',
  }),
  sourceChars: wholeNumber(1000, 1_000_000, 40_000).default(40_000).meta({
    description:
      'Length of the texts of attachments and linked pages of one question together, in characters; at most 20,000 of each are read.',
  }),
  maxConcurrentTurns: wholeNumber(1, 10_000, 16)
    .default(16)
    .meta({ description: 'How many questions are worked on at once, in different threads.' }),
  maxQueuedTurnsPerUser: wholeNumber(1, 1000, 5)
    .default(5)
    .meta({ description: 'How many questions of one person may wait.' }),
  maxQueuedTurnsPerThread: wholeNumber(1, 1000, 20)
    .default(20)
    .meta({ description: 'How many questions may wait in one thread.' }),
  overheardPerThreadPerHour: wholeNumber(0, 1000, 30).default(30).meta({
    description:
      'For how many messages of one thread an hour the moderator decides whether they are meant for the council, where rules can’t tell. Further messages count as not meant for it; 0 asks for none. Each is a model call, paid from the budgets.',
  }),
  shutdownGraceMs: milliseconds(0, 10_000).default(10_000).meta({
    description:
      'How long running questions get to finish at shutdown, in milliseconds. The rest resume at the next start.',
  }),
  maxOutputTokens: wholeNumber(16, 1_000_000, 8000).exactOptional().meta({
    description:
      "Upper bound of one reply in tokens, reasoning included. Absent: the server's own bound.",
  }),
});

const memorySettings = group({
  ...groupInFile(channelTable, 'memory'),
  interactions: wholeNumber(0, 10, 3).default(3).meta({
    description:
      'How many of the last questions of a thread, with their answers, the council recalls. 0 turns memory off.',
  }),
  memories: wholeNumber(0, 50, 10).default(10).meta({
    description:
      'How many messages that match the question are recalled, and how many summaries besides; 0 recalls none.',
  }),
  budgetTokens: wholeNumber(100, 1_000_000, 4000).default(4000).meta({
    description:
      'How many tokens of a prompt all of that may take: 60 % for the last questions, 40 % for matching memories, and each can use what the other leaves. Beyond it, the weakest matches are left out, and the oldest question is shortened or left out.',
  }),
  shardMinutes: wholeNumber(1, 1440, 5).default(5).meta({
    description:
      'After how many minutes `models.compactor` sums up messages for later questions, in the background.',
  }),
  shardMessages: wholeNumber(1, 100, 10).default(10).meta({
    description: 'After how many new messages of a thread that happens sooner.',
  }),
});

const dailyBudget = (whose: string, where = '') =>
  dollars(5)
    .exactOptional()
    .meta({
      description: `What ${whose} may spend in a UTC day${where && `, ${where}`}, in US dollars. Absent: no limit.`,
    });

const accessEntry = pattern(
  /^(?:slack:(?:\*|[TE][A-Z0-9]{2,}|@[UW][A-Z0-9]{2,})|discord:(?:\*|@?\d{5,20}))$/,
  'a workspace or server, a person after an @, or a * for a whole platform. Write e.g. slack:T0123ABCD, discord:123456789012345678 or discord:@123456789012345678',
);

const accessList = (meaning: string) =>
  z
    .array(accessEntry, { error: 'a list. Write e.g. [slack:T0123ABCD]' })
    .min(1, { error: 'a list with an entry in it. Write e.g. [slack:T0123ABCD]' })
    .exactOptional()
    .meta({ description: `Which workspaces, servers and people ${meaning}` });

const slackSettings = group({
  apiUrl: baseUrl().default('https://slack.com/api/').meta({
    description: "Address of Slack's API; another one for a proxy.",
  }),
  answerMissedMinutes: answerMissedMinutes('mentions and direct messages'),
  http: group({
    host: line(255, '127.0.0.1').default('127.0.0.1').meta({
      description:
        'Address to listen on for Slack, with `SLACK_SIGNING_SECRET`. Put a TLS proxy in front of it; in a container, write `0.0.0.0`.',
    }),
    port: wholeNumber(1, 65_535, 3000).default(3000).meta({ description: 'The port there.' }),
    publicUrl: baseUrl().exactOptional().meta({
      description:
        'Public address of the bot, without `/slack/install`, e.g. `https://council.example.org`; for several workspaces.',
    }),
  }).prefault({}),
});

/** The schema of `council.yaml`. An empty file is valid. */
export const settingsSchema = group({
  council: councilSettings.prefault({}),
  models: modelSettings.prefault({}),
  presets: z
    .record(presetKey.meta({ title: 'preset' }), filePreset, {
      error:
        'a group of presets by name. Write e.g. hiring: { description: For decisions about people }',
    })
    .default({}),
  limits: limitSettings.prefault({}),
  memory: memorySettings.prefault({}),
  sources: group(groupInFile(channelTable, 'sources')).prefault({}),
  budgets: group({
    userUsdPerDay: dailyBudget('one person', 'in all servers or workspaces of a platform together'),
    ...groupInFile(channelTable, 'budgets'),
    workspaceUsdPerDay: dailyBudget('a whole server or workspace'),
    totalUsdPerDay: dailyBudget('the whole bot', 'everywhere together'),
  }).prefault({}),
  access: group({
    allow: accessList(
      'may ask; no others may: `slack:T0123ABCD`, `discord:123456789012345678`, a person wherever they are `discord:@123456789012345678`, a platform `discord:*`. Absent: everyone who is not denied.',
    ),
    deny: accessList(
      'may not ask, even if `allow` names them; written the same way. Absent: none.',
    ),
  }).prefault({}),
  store: group({
    path: line(1000, 'data/council.db').default('data/council.db').meta({
      description:
        'The database file, relative to the folder that the bot is started in; not used with `REDIS_URL` or Upstash.',
    }),
  }).prefault({}),
  discord: group({
    apiUrl: baseUrl().default('https://discord.com/api').meta({
      description: "Address of Discord's API, without its version; another one for a proxy.",
    }),
    answerMissedMinutes: answerMissedMinutes('questions in servers'),
  }).prefault({}),
  slack: slackSettings.prefault({}),
  web: group({
    port: wholeNumber(1, 65_535, 8010).exactOptional().meta({
      description:
        'Port of the page and the endpoints for programs, while the bot runs. Absent: none; `npm run council -- web` uses 8010.',
    }),
    host: line(255, '127.0.0.1').default('127.0.0.1').meta({
      description:
        'Address that they are served on. By default only this machine, which needs no key; for any other address, make a key before the start.',
    }),
    publicUrl: pattern(
      /^https?:\/\/[^\s/?#@]+\/?$/,
      'an http or https address without a path. Write e.g. https://council.example.org',
    )
      .exactOptional()
      .meta({
        description:
          'Public address, e.g. `https://council.example.org`. With it, links lead there, and everyone needs a key.',
      }),
    origins: originList().default([]).meta({
      description:
        'Origins of pages whose scripts may call `/v1` and `/api` from a browser, e.g. `https://chat.example.org`, each with a key. Other programs don’t need this.',
    }),
    reasoningField: oneOf(['reasoning_content', 'reasoning']).default('reasoning_content').meta({
      description:
        'The field of chat completions that carries the deliberation. Most programs read `reasoning_content`; some newer ones read only `reasoning`.',
    }),
  }).prefault({}),
  health: group({
    port: wholeNumber(1, 65_535, 8080).exactOptional().meta({
      description:
        'Port of `/healthz` and `/readyz` while the bot runs in Discord, in Slack or on the web. Absent: none; in the container image 8080.',
    }),
    host: line(255, '127.0.0.1').default('127.0.0.1').meta({
      description:
        'Address that they are served on. `0.0.0.0` is every address of the machine; the container image sets that with `COUNCIL_HEALTH_HOST`, unless the file says otherwise.',
    }),
  }).prefault({}),
  log: group({
    level: oneOf(['silent', 'error', 'warn', 'info', 'debug'])
      .default('info')
      .meta({ description: 'The lowest level that is logged.' }),
  }).prefault({}),
});

/** All settings with defaults filled in. Contains no secret. */
export type Settings = z.infer<typeof settingsSchema>;

/**
 * Which messages start the next turn in a council's thread, besides those that name the council. If a
 * platform can't read every message, only mentions do, and people are told.
 */
export type FollowUpMode = Settings['council']['followUpMode'];
