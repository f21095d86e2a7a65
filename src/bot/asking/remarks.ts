/**
 * Rules for whether a message is meant for the council. They decide only clear cases and leave the rest to the
 * moderator, see `overheard.ts`. They run before anything is shown, queued or stored: an unwanted council
 * costs money and patience, and an unanswered question costs trust.
 */

import { addressedSage, addressesCouncil } from '../../council/addressing.ts';
import type { Sage } from '../../domain/turn.ts';
import { isAddressed, type Remark } from '../../platforms/platform.ts';
import type { FollowUpMode } from '../../settings/file-table.ts';

/** @returns Whether the message is meant for the council or just greets it. `undefined`: that depends on the channel. */
export function judgeByText(remark: Remark): boolean | 'greeting' | undefined {
  const { text, where, namesCouncil } = remark;
  const chatter = chatterIn(text);
  if (isAddressed(remark) && chatter === 'greeting') return 'greeting';
  // A link sent to the council is a request.
  if (namesCouncil) return chatter !== 'closing' && chatter !== 'answer';
  // A bare “yes” may answer a question of the council's.
  if (chatter && !(chatter === 'answer' && where === 'thread')) return false;
  if (where === 'direct message') return true;
  return where === 'thread' ? undefined : false;
}

/** A leading `@bob` that the platform did not turn into a mention. */
const atName = /^\s*@[\p{L}\p{N}]/u;

/**
 * For a message in a council's thread that does not name the council.
 *
 * @param rules.bench - The sages that can be addressed by name.
 * @returns `undefined` where rules can't tell.
 */
export function judgeByRules(
  { text, isForOthers }: Remark,
  { mode, bench }: { readonly mode: FollowUpMode; readonly bench: readonly Sage[] },
): boolean | undefined {
  if (mode === 'mention' || isForOthers) return false;
  if (mode === 'everything') return true;
  if (addressesCouncil(text) || addressedSage(text, bench)) return true;
  return atName.test(text) ? false : undefined;
}

/**
 * Messages that ask nothing: thanks, greetings, laughter, emoji and bare links. Recognised by lists of words in
 * the languages most used in chats. Every word must be listed, so a question that contains thanks stays a question.
 *
 * `closing`: thanks, agreement, laughter, farewells, emoji. `answer`: a bare yes or no. `sign`: no words, e.g. `…`.
 */
type Chatter = 'closing' | 'answer' | 'greeting' | 'sign' | 'link';

/** Longer texts are never mere chatter, in characters. */
const maxChatterChars = 400;

const link = /<https?:[^<>]*>|https?:\/\/\S+/g;
/** Mentions, channels and emoji of a workspace: `<@U1>`, `<a:wave:123>`, `:+1::skin-tone-3:`. */
const marks = /<(?:@[!&]?|#|!|a?:)[^<>\s]*>|:[\w+'-]{1,40}:(?!\/)/g;
/** Also emoticons that contain a letter or digit, e.g. `<3`, `:-D`; the others are no words anyway. */
const emoji =
  /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200d|\ufe0f|\u20e3|(?:<\/?3|[:;=]'?-?[dpo3])(?![\p{L}\p{M}\p{N}])/giu;
const clauseEnd = /[,;.!…\n]+/;
/** Replaces agreement in several words. */
const agreement = 'plusone';
const word = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu;

function listed(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

function phrased(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split('|')));
}

const closing = listed(
  'thanks thank thx tx ty tysm tnx thankyou cheers appreciated appreciate kudos congrats bravo',
  'cool nice great good awesome amazing perfect excellent brilliant lovely super wow yay neat sweet',
  'ok okay okey k kk alright fine sure yes yep yeah yup no nope nah agreed agree exactly indeed true same',
  'understood noted done got lgtm ack plusone helpful helps helped sense makes sorry oops welcome',
  'danke dankeschön vielen dank klar passt gut toll prima klasse genau stimmt einverstanden ja nein jo',
  "merci parfait génial d'accord entendu oui non bien gracias perfecto vale acuerdo genial sí si claro bueno",
  'obrigado obrigada valeu beleza perfeito ótimo sim não grazie perfetto bene va ottimo capito sì',
  'спасибо спс благодарю понятно понял поняла ясно ок окей хорошо да нет супер отлично класс',
  'ευχαριστώ εντάξει τέλεια ωραία ναι όχι شكرا شكراً تمام ممتاز نعم لا متشكر धन्यवाद शुक्रिया ठीक अच्छा हाँ',
  'շնորհակալություն լավ አመሰግናለሁ እሺ teşekkürler teşekkür teşekkürederim tamam sağol evet hayır süper',
  'dzięki dziękuję dobrze okej tak nie bedankt dank dankjewel prima goed ja nee top tack tak takk kiitos',
  'ขอบคุณ ขอบคุณครับ ขอบคุณค่ะ ขอบคุณมาก โอเค cảm ơn cám vâng תודה סבבה בסדר כן ممنون مرسی متشکرم باشه',
  'дякую дякуємо добре гаразд так ні terima kasih makasih oke baik',
  'ありがとう ありがとうございます ありがとうございました どうも 了解 了解です 承知しました なるほど はい いいえ そうですか そうか そうですね',
  '谢谢 謝謝 多谢 谢谢大家 谢谢你 谢谢您 好的 好 收到 明白 明白了 知道了 懂了 嗯 对 是的 不客气 赞',
  '감사합니다 감사해요 고마워 고마워요 고맙습니다 네 넵 예 아니요 알겠습니다 좋아요 ㅇㅇ',
  'fair yw cya ttyl sry ta mate amen gl idk damn rip oof yikes ugh meh whatever infiniment bunch stuff work job ace dope solid legit gotcha fab ah ahh ahhh oh ooh aha yea yess yesss congratulations np nvm gg',
  'gern gerne schöne danke lieb lieben dankesehr läuft geil krass spitze cool nice jap jep joa aha achso verstanden perfekt freut',
  'bcp ouais ok okay bah nickel cool chouette bravo compris remercie top ouf voilà super génial entendu',
  'graciass muchísimas grax sip guay estupendo entiendo entendido listo dale ok buenísimo chévere excelente ah',
  'obg obrigadão obrigadinha brigado brigada vlw blz show massa legal entendi joia certo combinado maravilha ah',
  'どういたしまして お疲れさまでした お疲れ様でした なるほどね 面白い 面白いですね うける ありがとー ありがと ありがとうー どうもありがとう サンキュー いいですね いいね すごい すごいですね すばらしい 素晴らしい',
  'オッケー おk okです 承知です 了解しました わかりました 分かりました わかった たしかに 確かに おー おお へえ へー さすが 助かります',
  'пожалуйста согласен согласна точно спасибки спасиб благодарствую ага угу круто здорово прикольно ясненько принято договорились точно пон а о',
  'katılıyorum rica sağ ol olun sağolun eyvallah aynen harika güzel anladım anlaşıldı tmm tşk tşkler mükemmel bravo peki oldu çok',
  'bye goodbye later gn night tschüss tschüs nacht ночи спокойной adiós tchau пока doei wiedersehen bis bald geceler görüşürüz hoşçakal おやすみ おやすみなさい お先に失礼します 再见 拜拜',
);
/** Alone, these may answer a question of the council's. */
const yesOrNo = listed(
  'yes yeah yep yup no nope nah ja nein doch jo oui non si sí sim não sì да нет ναι όχι نعم لا हाँ evet hayır',
  'tak nie nee так ні vâng כן はい いいえ 是的 对 네 넵 예 아니요',
);
const opening = listed(
  'hi hello hey heya hiya yo morning afternoon evening gm greetings welcome',
  'hallo moin servus grüezi morgen abend guten bonjour bonsoir salut coucou journée soirée',
  'hola buenos buenas días tardes noches oi olá bom boa dia tarde noite ciao buongiorno buonasera salve',
  'привет здравствуйте здравствуй доброе добрый утро день вечер γεια καλημέρα καλησπέρα χαίρετε',
  'مرحبا أهلا سلام السلام عليكم وعليكم नमस्ते բարև ሰላም merhaba selam günaydın cześć hej dzień dobry',
  'goedemorgen goedemiddag goedenavond hoi สวัสดี สวัสดีครับ สวัสดีค่ะ xin chào שלום היי سلام درود',
  'привіт вітаю halo selamat pagi',
  'gente pessoal galera noite soirée nuit nuitée journée ciao grüße gruß mahlzeit',
  'всем доброй здрасьте приветик iyi akşamlar günler sabahlar kolay gelsin',
  'お疲れ よろしくお願いします よろしく やあ どうもです',
  'こんにちは こんばんは おはよう おはようございます お疲れ様です お疲れさまです おつかれ',
  '你好 您好 大家好 早 早上好 大家早上好 晚上好 안녕 안녕하세요 여러분',
);
/** Words that accompany these and mean nothing alone. */
const filler = listed(
  'you u so much very a an the lot lots all everyone everybody guys folks team council sages many for to and',
  "that that's thats it its it's this really answer answers help me i i'm too just have had weekend day",
  'euch dir dich allen alle zusammen sehr und schön schönes schönen schöne wochenende tag das alles mal à tous toutes vous toi beaucoup et',
  "bonne bon c'est muchas muchos mil a todos todas y de muito mesmo mille tutti e большое всем вам и",
  'πολύ σας جزيلا جزيلاً لكم बहुत है çok ederim bardzo wielkie je wel u zeer allemaal คุณ มาก ครับ ค่ะ nhiều bạn',
  'רבה מאוד خیلی дуже banyak',
);
/** Puzzled reactions that ask nothing. */
const puzzled = listed('huh hm hmm eh wat wut wtf omg oh ah what');
/** Korean laughter is written as NFKC leaves it. */
const laughter =
  /^(?:[hae]{3,}|(?:asd|sdf|dfg|fgh|jkl|sjs|ksk|jsk)[asdfghjkl]{2,}|лол|кек|[hi]{4,}|[jaei]{4,}|k{3,}|(?:rs){2,}|[хае]{4,}|l+o+l+s*|lmf?ao+|rofl|x+d+|(?:pt)?mdr+|ptdr+|ه{3,}|[\u110f\u1112\u1172\u116e]+|w{2,}|草|笑|笑笑|23{3,}|[哈呵嘿]+)$/u;
/** Greetings in the form of questions. */
const greetings = phrased(
  "how are you|how are you all|how is it going|how's it going|what's up|sup|wie geht's|wie geht es euch|wie geht es dir",
  'ça va|comment ça va|qué tal|cómo estás|cómo están|tudo bem|tudo bom|come va|come stai|как дела|як справи',
  'كيف حالك|كيف الحال|nasılsın|nasılsınız|jak się masz|co słychać|hoe gaat het|你好吗|大家好吗|元気ですか|お元気ですか',
  '잘 지내세요|안녕하세요|τι κάνεις|τι κάνετε',
);
/** Phrases of agreement, thanks and farewell whose single words can mean more. */
const courtesies = phrased(
  "nice one|good one|good point|great point|fair point|fair enough|makes total sense|that makes sense|sounds good|sounds great|sounds good to me|works for me|same here|me too|will do|on it|well said|well done|love it|love this|i see|oh i see|ah i see|no problem|no worries|you're welcome|my pleasure|see you|see ya|see you later|take care|happy birthday|happy friday|welcome back|that was helpful|that was great|good luck|fingers crossed|let's go|lets go|never mind|my bad|have a good one|thanks a bunch|thanks in advance|cheers mate|good call|good idea|great idea|good to know|that helps",
  'klingt gut|guter punkt|gute idee|bis später|bis morgen|bis dann|schönen feierabend|kein problem|gern geschehen|bitte sehr|das hilft',
  "merci infiniment|je vois|bien vu|pas de souci|pas de soucis|de rien|à plus|à bientôt|à demain|bonne idée|bon point|bon week-end|ça marche|c'est noté|je vous en prie",
  'de nada|buen punto|buena idea|hasta luego|hasta mañana|nos vemos|buen finde|tiene sentido|sin problema|no hay problema|ya veo|con gusto',
  'bom ponto|boa ideia|até mais|até logo|até amanhã|bom fim de semana|faz sentido|sem problema|por nada|imagina',
  'di niente|di nulla|a domani|a dopo|buona idea|nessun problema|graag gedaan|tot morgen|goed punt|geen probleem|nie ma za co|nie ma sprawy|do jutra',
  'не за что|хорошая мысль|хорошая идея|до завтра|до встречи|без проблем|рад помочь|rica ederim|iyi fikir|bir şey değil|sorun değil|yarın görüşürüz',
);

/** The text without links, mentions and emoji. */
function bareText(text: string): string {
  return text.replace(link, ' ').replace(marks, ' ').replace(emoji, ' ');
}

/**
 * @param text - Links, mentions and emoji as the platform writes them.
 * @returns The kind of chatter. `undefined`: the text says something else, or is empty.
 */
function chatterIn(text: string): Chatter | undefined {
  if (text.trim() === '' || text.length > maxChatterChars) return undefined;
  const bare = bareText(text).replace(/(?:^|\s)[+-]1(?=\s|$)/g, ` ${agreement} `);
  // "Cool?" asks something, "huh?" and "lol what?" do not.
  const isAsking = /[?？؟]/.test(bare);
  const clauses = bare.normalize('NFKC').toLowerCase().split(clauseEnd);
  const words = clauses.flatMap((clause) => {
    const said = (clause.match(word) ?? []).map(normalized);
    return !isAsking && courtesies.has(said.join(' ')) ? [agreement] : said;
  });
  if (words.length === 0) return wordlessChatter(text);
  if (greetings.has(words.join(' '))) return 'greeting';
  const isLaughed = words.some((one) => laughter.test(one));
  const isChatterWord = (one: string) =>
    laughter.test(one) ||
    (isAsking
      ? puzzled.has(one) && (one !== 'what' || isLaughed)
      : [closing, opening, filler, puzzled].some((known) => known.has(one)));
  if (!words.every(isChatterWord)) return undefined;
  if (words.every((one) => yesOrNo.has(one))) return 'answer';
  if (words.some((one) => opening.has(one))) return 'greeting';
  // “This 👆” says no more than its emoji, but “and you” may be a question.
  const saysSomething = text.search(emoji) >= 0 || !words.every((one) => filler.has(one));
  return saysSomething ? 'closing' : undefined;
}

/** The kind of a text without words. */
function wordlessChatter(text: string): Chatter {
  if (text.search(link) >= 0) return 'link';
  return text.search(emoji) >= 0 || text.search(marks) >= 0 ? 'closing' : 'sign';
}

/** Normalises repeated letters, as in `thanksss`, and apostrophes. */
function normalized(written: string): string {
  const straight = written.replaceAll('’', "'");
  const shorter = straight.replace(/(.)\1{2,}/gu, '$1');
  return isKnown(shorter) ? shorter : straight;
}

function isKnown(one: string): boolean {
  return closing.has(one) || opening.has(one) || filler.has(one);
}
