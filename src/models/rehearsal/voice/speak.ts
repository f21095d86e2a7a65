/** Says what a scene asks for, in the form that its contract asks for. */

import { smallestValue } from './any-schema.ts';
import { playChair } from './chair.ts';
import { playDraft } from './draft.ts';
import { playBrief, playRecord } from './minutes.ts';
import { playModerator } from './moderator.ts';
import { type Persona, unknownPersona } from './persona.ts';
import { honestSentence } from './phrases.ts';
import { playReviewer } from './reviewer.ts';
import { playSage } from './sage.ts';
import type { Scene } from './scene.ts';

/** The JSON schema of a reply's contract, or that any JSON object will do. */
export type Contract =
  | { readonly kind: 'text' }
  | { readonly kind: 'json'; readonly schema: unknown };

/** The text of the reply. */
export function speak(scene: Scene, contract: Contract, personas: readonly Persona[]): string {
  switch (scene.part) {
    case 'moderator':
      return JSON.stringify(playModerator(scene, personas));
    case 'sage': {
      const spoken = playSage(scene, scene.persona ?? unknownPersona('A sage', '', ''));
      return contract.kind === 'text' ? spoken.answer : JSON.stringify(spoken);
    }
    case 'reviewer':
      return playReviewer(scene);
    case 'chair':
      return JSON.stringify(playChair(scene));
    case 'draft':
      return JSON.stringify(playDraft(scene, scene.request));
    case 'brief':
      return playBrief(scene);
    case 'record':
      return JSON.stringify(playRecord(scene));
    case 'other':
      return contract.kind === 'text'
        ? honestSentence
        : JSON.stringify(smallestValue(contract.schema, honestSentence));
  }
}
