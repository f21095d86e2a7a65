/** What belongs to a thread, as the script gives it. */

import { z } from 'zod';
import type { ArchiveRecord, Standing } from '../../archive.ts';
import { parseRecord } from '../../stored-json.ts';
import { threadOfKey } from '../keys.ts';
import { readShard, readVector } from '../memory-records.ts';
import { readGroup, readPlacedMessage } from '../records.ts';

const standing = z.tuple([z.coerce.number(), z.number(), z.number()]).nullable();
const text = z.string();
const textOrNone = z.string().nullable();
const turnItem = z.tuple([z.literal('turn'), text, z.number(), z.array(text)]);
const placedMessage = z.tuple([text, text, text]);
const messageItem = z.tuple([
  z.literal('message'),
  text,
  z.number(),
  placedMessage,
  textOrNone,
  standing,
  textOrNone,
]);
const shardItem = z.tuple([z.literal('shard'), z.array(text), standing, textOrNone]);
const item = z.union([turnItem, messageItem, shardItem]);

export function readThreadItem(stored: unknown): ArchiveRecord {
  const read = parseRecord(item, stored, 'A record of a thread');
  switch (read[0]) {
    case 'turn': {
      const [, turnId, rank, fields] = read;
      const { messages: _, ...turn } = readGroup(turnId, fields);
      const event = fields.find((_, at) => at % 2 === 1 && fields[at - 1] === 'event');
      const eventId = parseRecord(text, event, `The event of turn ${turn.turnId}`);
      return { kind: 'turn', rank, turn: { ...turn, eventId } };
    }
    case 'message': {
      const [, thread, rank, placed, shardId, remembered, vector] = read;
      const { message } = readPlacedMessage(placed, threadOfKey(thread));
      return {
        kind: 'message',
        rank,
        message,
        isImported: !placed[1].startsWith('t'),
        ...(shardId !== null && { shardId }),
        ...rememberedAs(remembered, vector),
      };
    }
    case 'shard': {
      const [, shard, remembered, vector] = read;
      return { kind: 'shard', shard: readShard(shard), ...rememberedAs(remembered, vector) };
    }
  }
}

function rememberedAs(remembered: z.infer<typeof standing>, vector: string | null) {
  const [, model = '', base64 = ''] = /^(.*) (\S*)$/s.exec(vector ?? '') ?? [];
  return {
    ...(remembered !== null && { standing: standingOf(remembered) }),
    ...(vector !== null && { vector: readVector(model, base64) }),
  };
}

function standingOf([change, isOpen, isPrivate]: readonly [number, number, number]): Standing {
  return { change, isOpen: isOpen === 1, isChannelPrivate: isPrivate === 1 };
}
