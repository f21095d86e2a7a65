import { folded } from '../../domain/words.ts';

/**
 * Messages that ask nothing: thanks, greetings, laughter, emoji and bare links. Recognised by lists of words in
 * the languages most used in chats. Every word must be listed, so a question that contains thanks stays a question.
 *
 * `closing`: thanks, agreement, laughter, farewells, emoji. `answer`: a bare yes or no. `sign`: no words, e.g. `…`.
 */
export type Chatter = 'closing' | 'answer' | 'greeting' | 'sign' | 'link';

/** Longer texts are never mere chatter, in characters. */
const maxChatterChars = 400;

const link = /<https?:[^<>]*>|https?:\/\/\S+/g;
/** Mentions, channels and emoji of a workspace: `<@U1>`, `<a:wave:123>`, `:+1::skin-tone-3:`. */
const marks = /<(?:@[!&]?|#|!|a?:)[^<>\s]*>|:[\w+'-]{1,40}:(?!\/)/g;
/** Also emoticons that contain a letter or digit, e.g. `<3`, `:-D`; the others are no words anyway. */
const emoji =
  /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200d|\ufe0f|\u20e3|\\o\/|¯.{1,9}¯|(?:<\/?3|[:;=]'?-?[dpo3])(?![\p{L}\p{M}\p{N}])/giu;
const clauseEnd = /[,،;؛.!…\n]+/;
/** Replaces agreement in several words. */
const agreement = 'plusone';
/** An `@name` is one word. */
const word = /@?[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu;
/** Scripts that are written without spaces between words. */
const unspaced = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}ー]+$/u;
/** Emoticons without letters: `:)`, `^^`, `)))`. */
const emoticon = /[()^]/;
const thanksAndGreetings =
  'thanks|thank you|thx|ty|cheers|congrats|congratulations|welcome|hi|hello|hey|good morning|morning|bye|haha|lol|good point|well said|well done|nice one|good one|happy birthday|danke|hallo|moin|merci|bravo|salut|bonjour|coucou|gracias|hola|obrigado|obrigada|valeu|oi|olá|grazie|ciao|спасибо|привет|teşekkürler|merhaba|selam';
/** A person's name after thanks or a greeting: `thanks Tom!`, `hi Ana Lima`; or with a title: `田中さん`. */
const namedPerson = new RegExp(
  String.raw`(?<=(?<!\p{L})(?:${thanksAndGreetings}) )\p{Lu}[\p{L}\p{M}'’-]*(?: \p{Lu}[\p{L}\p{M}'’-]*)?(?=\s*(?:[\p{P}\p{S}]|$))|\p{L}{1,6}(?:さん|さま|ちゃん|くん)(?=[\s、。！,!]|$)`,
  'gmu',
);
/** A “no” that denies the word after it, unlike `no thanks`: `makes no sense`. */
const denial =
  / (?:no|non|não|नहीं|nahi) (?=\S)(?!(?:th|ty|danke|merci|gracias|obrigad|धन्य|शुक्र|dhany|shukr|no|non|não)\S* )/gu;

function listed(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => folded(line).split(' ')));
}

function phrases(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => folded(line).split('|'));
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
  'ευχαριστώ εντάξει τέλεια ωραία ναι όχι شكرا تمام ممتاز نعم لا متشكر مشكور مشكورين حسنا طيب اوكي رائع جميل فهمت وضحت تسلم تسلمون جزاك جزاكم يعطيك يعطيكم العافية بارك',
  'धन्यवाद शुक्रिया ठीक अच्छा हाँ हां नहीं जी बढ़िया आभार dhanyavaad dhanyavad shukriya theek thik accha acha badhiya haan nahi',
  'շնորհակալություն լավ አመሰግናለሁ እሺ teşekkürler teşekkür teşekkürederim tamam sağol evet hayır süper',
  'dzięki dziękuję dobrze okej tak nie bedankt dank dankjewel prima goed ja nee top tack tak takk kiitos',
  'ขอบคุณ ขอบใจ โอเค เข้าใจแล้ว รับทราบ ดีมาก เยี่ยม สุดยอด ครับ ค่ะ ใช่ ไม่ใช่ ไม่เป็นไร cảm ơn cám vâng תודה סבבה בסדר כן ممنون مرسی متشکرم باشه',
  'дякую дякуємо добре гаразд так ні terima kasih makasih oke baik',
  'ありがとう ありがとうございます ありがとうございました どうも 了解 了解です 承知しました なるほど はい いいえ そうですか そうか そうですね',
  '谢谢 謝謝 多谢 谢谢大家 谢谢你 谢谢您 好的 好 收到 明白 明白了 知道了 懂了 嗯 对 是的 不客气 赞',
  '감사합니다 감사해요 감사드립니다 고마워 고마워요 고맙습니다 ㄳ 좋네요 훌륭해요 최고 최고예요 네 넵 예 아니요 알겠습니다 좋아요 ㅇㅇ',
  'fair yw cya ttyl sry ta mate amen gl idk damn rip oof yikes ugh meh whatever infiniment bunch stuff work job ace dope solid legit gotcha fab ah ahh ahhh oh ooh aha yea yess yesss congratulations np nvm gg',
  'gern gerne schöne danke lieb lieben dankesehr läuft geil krass spitze cool nice jap jep joa aha achso verstanden perfekt freut',
  'bcp ouais ok okay bah nickel cool chouette bravo compris remercie top ouf voilà super génial entendu',
  'graciass muchísimas grax sip guay estupendo entiendo entendido listo dale ok buenísimo chévere excelente ah',
  'obg obrigadíssimo obrigadíssima obrigadão obrigadinha brigado brigada vlw blz show massa legal entendi joia certo combinado maravilha ah',
  'どういたしまして お疲れさまでした お疲れ様でした なるほどね 面白い 面白いですね うける ありがとー ありがと ありがとうー どうもありがとう サンキュー いいですね いいね すごい すごいですね すばらしい 素晴らしい',
  'オッケー おk okです 承知です 了解しました わかりました 分かりました わかった たしかに 確かに おー おお へえ へー さすが 助かります',
  'пожалуйста согласен согласна точно спасибки спасиб благодарствую ага угу круто здорово прикольно ясненько принято договорились точно пон а о',
  'katılıyorum rica sağ ol olun sağolun eyvallah aynen harika güzel anladım anlaşıldı tmm tşk tşkler mükemmel bravo peki oldu çok',
  'bye goodbye later gn night tschüss tschüs nacht ночи спокойной adiós tchau пока doei wiedersehen bis bald geceler görüşürüz hoşçakal おやすみ おやすみなさい お先に失礼します 再见 拜拜',
  'totally impressive genius bingo nailed roger phew bruh dude lolol legend legends oki okie dokie yessir precisely fascinating insightful useful interesting hilarious funny fun outstanding superb thnx thanx thankies respect perfection heh nevermind',
  'ha mercis orz ха dankee dankö hilfreich interessant spannend mega hammer ups upps erledigt notiert dito respekt bitteschön lg vg schade wahnsinn hilft egal okidoki',
  'mille intéressant utile chapeau oups désolé désolée pardon idem pareil exactement carrément clair grave waouh dac oki compris reçu bises bise jpp',
  'igual exacto hecho anotado ups perdón interesante útil crack cracks enterado enterada brutal tremendo estupenda geniales buenísima chao chau',
  'bacana saquei concordo exato isso tranquilo abraço abraços abs desculpa desculpe desculpem ops feito anotado interessante útil parabéns uau tmj tá demais ótima mt brigadão fechou',
  'esatto certo chiaro capita prego figurati scusa scusate interessante bello bella bravi bravissimi ottima grande fantastico utile utilissimo esattamente accordo',
  'именно поддерживаю плюсую ладно классно шикарно огонь интересно полезно хех ору ржу извините извини сорри сорян упс забудьте забей готово сделано записал записала молодцы молодец красавчики красавчик вау пасиб пасибки пасибо благодарен благодарна верно справедливо логично забавно ясненько здорово четко чётко',
  'tamamdır ilginç helal hallettim pardon boşver boşverin vay vallahi eyv sağolasın teşekkurler tesekkurler haklısın haklısınız',
  '本当にありがとう 本当にありがとうございます とても助かりました 助かりました 助かる 感謝 感謝です 感謝します ありがたい ありがたいです りょ りょうかい りょーかい かしこまりました そうなんだ そうなんですね それな 同感です 同感 同意 同意です 賛成 賛成です おっけー オーケー おけ おけです うん うんうん いえいえ いえ 最高 最高です 勉強になります 勉強になりました 参考になります 参考になりました 大草原 ワロタ 爆笑 また明日 失礼します 失礼しました すみません すいません ごめん ごめんなさい 間違えました 誤爆 誤爆しました 気にしないで 大丈夫です 納得 納得です',
  '感谢 非常感谢 行 没问题 笑死 笑死我了 牛 牛逼 厉害 太棒了 不错 同意 辛苦了 辛苦啦 没事 没关系 不好意思 抱歉 发错了 发错群了 有道理 说得对 原来如此 确实 了解 真棒 很有帮助 学到了 早安 晚安',
  'ㄱㅅ ㅇㅋ 오케이 오키 알겠어요 알겠습니다 확인했습니다 확인 굿 수고하셨습니다 수고하세요 수고 동의합니다 동의해요 맞아요 맞습니다 그렇군요 대박 네네 넹 감사 감솨 죄송합니다 좋은 아침입니다 도움이 됐어요 됐습니다 되었습니다 되었어요',
);
/** Alone, these may answer a question of the council's. */
const yesOrNo = listed(
  'yes yeah yep yup no nope nah ja nein doch jo oui non si sí sim não sì да нет ναι όχι نعم لا हाँ evet hayır',
  'tak nie nee так ні vâng כן はい いいえ 是的 对 네 넵 예 아니요 可以 うん olur yok var',
  'ใช่ ใช่ครับ ใช่ค่ะ ไม่ใช่ ไม่ใช่ครับ ไม่ใช่ค่ะ ไม่ครับ ไม่ค่ะ ครับ ค่ะ जी हां नहीं haan nahi',
  'absolutely definitely correct right certainly absolut natürlich jawohl bitte absolument конечно нет неа kesinlikle tabii',
);
const opening = listed(
  'hi hello hey heya hiya yo morning afternoon evening gm greetings welcome opa grüß',
  'hallo moin servus grüezi morgen abend guten bonjour bonsoir salut coucou journée soirée',
  'hola buenos buenas días tardes noches oi olá bom boa dia tarde noite ciao buongiorno buonasera salve',
  'привет здравствуйте здравствуй доброе добрый утро день вечер γεια καλημέρα καλησπέρα χαίρετε',
  'مرحبا أهلا وسهلا سلام السلام عليكم وعليكم صباح مساء नमस्ते नमस्कार प्रणाम सुप्रभात namaste namaskar բարև ሰላም merhaba selam günaydın cześć hej dzień dobry',
  'goedemorgen goedemiddag goedenavond hoi สวัสดี สวัสดีครับ สวัสดีค่ะ หวัดดี หวัดดีครับ หวัดดีค่ะ ดีครับ ดีค่ะ xin chào שלום היי سلام درود',
  'привіт вітаю halo selamat pagi',
  'noite soirée nuit nuitée journée ciao grüße gruß mahlzeit',
  'всем доброй здрасьте приветик iyi akşamlar günler sabahlar kolay gelsin',
  'お疲れ よろしくお願いします よろしく やあ どうもです',
  'はじめまして もしもし こんにちは こんばんは おはよう おはようございます お疲れ様です お疲れさまです おつかれ',
  '你好 您好 大家好 早 早上好 大家早上好 晚上好 안녕 안녕하세요 여러분 아침 아침이에요',
  'selamlar herkese buona giorno 早安 早上好',
);
/** Words that accompany these and mean nothing alone. */
const filler = listed(
  'you u so much very a an the lot lots all everyone everybody guys folks team council sages many for to and',
  "that that's thats it its it's this really answer answers help me i i'm too just have had weekend day",
  'euch dir dich allen alle zusammen sehr und schön schönes schönen schöne wochenende tag das alles mal à tous toutes vous toi beaucoup et',
  "bonne bon c'est muchas muchos mil a todos todas y de muito mesmo mille tutti e большое всем вам и",
  'πολύ σας جزيلا لك لكم جميعا كثيرا على المساعدة الاجابة الرد الردود الخير النور الله خيرا خير فيك فيكم يا شباب',
  'बहुत है आप आपका आपको सब सबका सबको मदद जवाब के लिए का bahut hai aap aapka sabko جدا',
  'çok ederim ederiz bardzo wielkie je wel u zeer allemaal คุณ มาก คับ คะ นะครับ นะคะ นะ ทุกคน เลย จ้า nhiều bạn',
  'רבה מאוד خیلی дуже banyak',
  'input insight insights advice feedback explanation clarification reply response responses your yall there folks 大家 みなさん 皆さん 皆様 ご回答 ご意見 ご助言 ご返信 回答 アドバイス 丁寧な 早速の 정말 너무 아 와 오 답변 조언 의견 모두 다들 도움이 많이 큰',
  'besten herzlichen tausend gott für eure deine ihre hilfe antwort antworten euren input rat so ganz wirklich tolle tollen auch die den',
  "pour vos votre ton tes l'aide les réponses réponse c'est très trop tout grand un monde conseils",
  'por la las el ayuda respuestas respuesta consejos equipo amigos chicos totales muy',
  'pela pelas pelo resposta respostas ajuda plenamente gente pessoal galera',
  "per l'aiuto le risposte risposta la aiuto a",
  'за ответ ответы помощь очень полностью совет советы все ребят ребята',
  'arkadaşlar çok için cevaplar cevap yardım yardımınız',
);
/** Puzzled reactions that ask nothing. */
const puzzled = listed('huh hm hmm eh wat wut wtf omg oh ah what');
/** Korean laughter is written as NFKC leaves it. */
const laughter =
  /^(?:[hae]{3,}|5{3,}|(?:हा){2,}|(?:asd|sdf|dfg|fgh|jkl|sjs|ksk|jsk)[asdfghjkl]{2,}|лол|кек|[hi]{4,}|[jaei]{4,}|[js]{4,}|k{3,}|(?:rs){2,}|[хае]{4,}|l+o+l+s*|lmf?ao+|rofl|x+d+|(?:pt)?mdr+|ptdr+|ه{3,}|[\u110f\u1112\u1172\u116e]+|w{2,}|草|笑|笑笑|23{3,}|[哈呵嘿]+)$/u;
/** Greetings in the form of questions. */
const greetings = new Set(
  phrases(
    "how are you|how are you all|how is it going|how's it going|what's up|sup|wie geht's|wie geht es euch|wie geht es dir",
    'ça va|comment ça va|qué tal|cómo estás|cómo están|tudo bem|tudo bom|come va|come stai|как дела|як справи',
    'كيف حالك|كيف حالكم|كيف الحال|e aí|आप कैसे हैं|สบายดีไหม|nasılsın|nasılsınız|jak się masz|co słychać|hoe gaat het|你好吗|大家好吗|元気ですか|お元気ですか',
    '잘 지내세요|안녕하세요|τι κάνεις|τι κάνετε',
  ),
);
/** Phrases of agreement, thanks and farewell whose single words can mean more. */
const courtesies = phrases(
  "nice one|good one|good point|great point|fair point|fair enough|makes total sense|that makes sense|sounds good|sounds great|sounds good to me|works for me|same here|me too|will do|on it|well said|well done|love it|love this|i see|oh i see|ah i see|no problem|no worries|you're welcome|my pleasure|see you|see ya|see you later|take care|happy birthday|happy friday|welcome back|that was helpful|that was great|good luck|fingers crossed|let's go|lets go|never mind|my bad|have a good one|thanks a bunch|thanks in advance|cheers mate|good call|good idea|great idea|good to know|that helps",
  'klingt gut|guter punkt|gute idee|bis später|bis morgen|bis dann|schönen feierabend|kein problem|gern geschehen|bitte sehr|das hilft',
  "समझ गया|समझ गई|samajh gaya|samajh gayi|merci infiniment|je vois|bien vu|pas de souci|pas de soucis|de rien|à plus|à bientôt|à demain|bonne idée|bon point|bon week-end|ça marche|c'est noté|je vous en prie",
  'de nada|buen punto|buena idea|hasta luego|hasta mañana|nos vemos|buen finde|tiene sentido|sin problema|no hay problema|ya veo|con gusto',
  'bom ponto|boa ideia|até mais|até logo|até amanhã|bom fim de semana|faz sentido|sem problema|por nada|imagina',
  'di niente|di nulla|a domani|a dopo|buona idea|nessun problema|graag gedaan|tot morgen|goed punt|geen probleem|nie ma za co|nie ma sprawy|do jutra',
  'не за что|хорошая мысль|хорошая идея|до завтра|до встречи|без проблем|рад помочь|rica ederim|iyi fikir|bir şey değil|sorun değil|sorun yok|yarın görüşürüz',
  "thanks again|thank you again|thank you very much|that's all|that was all|that's it|all good|all good now|good stuff|sounds like a plan|let's do it|lets do it|roger that|copy that|10 10|big oof|i'm dead|im dead|good bot|you rock|you guys rock|you're the best|you are the best|best answer|what a time to be alive|mind blown|holy moly|thank god|spot on|wrong thread|wrong channel|wrong chat|wrong window|ignore that|ignore me|found it|figured it out|happy monday|see you tomorrow|see you then|see you around|see you monday|talk soon|talk later|have a nice day|have a good day|have a great day|have a nice weekend|have a good weekend|nice to know|well put|nicely done|ohh i see|ha fair|love this one|that was fun|well said|alright then|agreed 100|awesome sauce|this was really helpful|nicely put|couldn't agree more|i agree|i concur|count me in|i'm in|im in|so true|very true|too true|exactly this|this is the way|answers it|answers my question|that answers it|that answers my question|got what i needed|no more questions|nothing else|we're good|were good|i'm good|im good|made my day|on point|my thoughts exactly|great minds|keep it up|as always",
  'bin dabei|bin dafür|finde ich auch|find ich auch|seh ich auch so|sehe ich auch so|seh ich genauso|sehe ich genauso|stimmt auch wieder|genau so|genau das|so ist es|schönes we|schönes wochenende|gute nacht|kein ding|falscher thread|falscher chat|falscher kanal|hat sich erledigt|mach ich|machen wir|wird gemacht|gut zu wissen|läuft bei uns|ihr seid die besten|hat geholfen|hat mir geholfen|das hilft mir|liebe grüße|viele grüße|beste grüße|ach so|lach mich weg|ich lach mich weg|alles gut|passt so|das wars|das war es|alles klar|bin einverstanden|schöne woche|guten rutsch|frohe weihnachten|da ist was dran',
  "merci d'avance|bon week end|bon weekend|bonne semaine|bonne fin de journée|pas de quoi|pas de problème|y a pas de quoi|laissez tomber|laisse tomber|mauvais canal|mauvais fil|c'est bon|c'est bon pour moi|c'est clair|tout à fait|je suis d'accord|mort de rire|trop bien|bien joué|bien dit|ça roule|ok d'acc|je comprends mieux|je comprends|bonne continuation|c'est parfait|rien à ajouter|tout est dit|bonnes vacances",
  'buen día|feliz viernes|feliz lunes|buen fin de semana|no hay de qué|canal equivocado|hilo equivocado|ya está|nada ya está|qué bueno|qué bien|muy bien|sois los mejores|son los mejores|tal cual|así es|ya entendí|ya entiendo|me muero|me parto|yo también|de acuerdo|olvídenlo|olvídalo|me parece bien|me parece perfecto|gracias de antemano|hasta la próxima|un abrazo|un saludo|saludos|buena semana|tienes razón|tienen razón',
  'show de bola|canal errado|deixa pra lá|deixa quieto|que legal|que bom|que massa|muito legal|isso aí|isso mesmo|tá bom|tá certo|tá ótimo|bom fds|bom final de semana|boa semana|mesma coisa|eu também|tamo junto|sem dúvida|um abraço|nada a acrescentar|faz todo sentido|é isso|é isso aí|até breve|tem razão',
  "d'accordo|va benissimo|buona serata|buona notte|canale sbagliato|come non detto|niente male|sono d'accordo|ben detto|a presto|buon weekend|buon lavoro|ha senso|tutto chiaro",
  'не туда|ошибся чатом|ошиблась чатом|ошибся веткой|хорошего дня|хорошего вечера|хороших выходных|доброй ночи|полностью согласен|так и есть|так точно|в точку|без комментариев|имеет смысл|есть смысл|буду знать|всё понятно|все понятно|всё ясно|все ясно|больше вопросов нет|до связи|на связи|спасибо заранее|так держать|в тему',
  'aynen öyle|bence de|önemli değil|kusura bakmayın|kusura bakma|yanlış kanal|not aldım|hoşça kalın|hoşça kal|helal olsun|çok iyi|çok güzel|elinize sağlık|ellerinize sağlık|eline sağlık|iyi hafta sonları|iyi haftalar|iyi çalışmalar|mantıklı|çok mantıklı|görüşmek üzere|vay be|haklısınız|başka sorum yok|bu kadar',
);

const courtesy = new RegExp(
  `(?<= )(?<! (?:no|non|não|ne) )(?:${courtesies.toSorted(byLength).join('|')})(?= )`,
  'gu',
);

/** Longest first. */
function byLength(one: string, other: string): number {
  return other.length - one.length;
}

/** The text without links, mentions and emoji. */
function bareText(text: string): string {
  return text.replace(link, ' ').replace(marks, ' ').replace(emoji, ' ');
}

/**
 * @param text - Links, mentions and emoji as the platform writes them.
 * @returns The kind of chatter. `undefined`: the text says something else, or is empty.
 */
export function chatterIn(text: string): Chatter | undefined {
  if (text.trim() === '' || text.length > maxChatterChars) return undefined;
  const bare = bareText(text).replace(/(?:^|\s)[+-]1(?=\s|$)/g, ` ${agreement} `);
  // "Cool?" asks something, "huh?" and "lol what?" do not.
  const isAsking = /[?？؟]/.test(bare);
  const said = wordsOf(isAsking ? bare : withoutPeople(bare), !isAsking);
  if (said.length === 0) return wordlessChatter(text, bare);
  if (isGreetingQuestion(said)) return 'greeting';
  const words = isAsking ? said : said.filter((one) => !one.startsWith('@'));
  if (words.length === 0) return undefined;
  const isLaughed = words.some((one) => laughter.test(one));
  const isChatterWord = (one: string) => {
    if (laughter.test(one)) return true;
    if (one === 'what') return isLaughed;
    return isAsking ? puzzled.has(one) : isKnown(one);
  };
  if (!words.every(isChatterWord)) return undefined;
  if (words.every((one) => yesOrNo.has(one))) return 'answer';
  if (words.some((one) => opening.has(one))) return 'greeting';
  // “This 👆” says no more than its emoji, but “and you” may be a question.
  const saysSomething = text.search(emoji) >= 0 || !words.every((one) => filler.has(one));
  return saysSomething ? 'closing' : undefined;
}

/** The text without people's names, where it thanks or greets them. */
function withoutPeople(bare: string): string {
  const begun = bare.replace(/^\s*\p{Lu}/u, (first) => first.toLowerCase());
  return begun.replace(namedPerson, ' ');
}

/** @param isStated - Counts courtesies of several words as one word. */
function wordsOf(bare: string, isStated: boolean): readonly string[] {
  const clauses = folded(bare).split(clauseEnd);
  return clauses.flatMap((clause) => {
    const said = (clause.match(word) ?? []).map(normalized);
    if (!isStated) return said;
    const spaced = ` ${said.join(' ')} `.replace(courtesy, agreement).replace(denial, ' not ');
    return spaced.split(/\s+/).filter((one) => one !== '');
  });
}

/** The kind of a text without words. */
function wordlessChatter(text: string, bare: string): Chatter {
  if (text.search(link) >= 0) return 'link';
  const isEmoticon = emoticon.test(bare) && !/[?？؟]/.test(bare);
  const isClosing = isEmoticon || text.search(emoji) >= 0 || text.search(marks) >= 0;
  return isClosing ? 'closing' : 'sign';
}

/** Whether it is a greeting in the form of a question, also after words like “hey”. */
function isGreetingQuestion(words: readonly string[]): boolean {
  return [0, 1, 2, 3].some(
    (at) => greetings.has(words.slice(at).join(' ')) && words.slice(0, at).every(isKnown),
  );
}

/** Normalises repeated letters, as in `thanksss` and `cooool`, and apostrophes. */
function normalized(written: string): string {
  const straight = written.replaceAll('’', "'");
  const spellings = ['$1', '$1$1'].map((kept) => straight.replace(/(.)\1{2,}/gu, kept));
  return [straight, ...spellings, straight.replace(/ー+$/, '')].find(isKnown) ?? straight;
}

function isKnown(one: string): boolean {
  return lists.some((known) => known.has(one)) || isJoined(one);
}

const lists = [closing, opening, filler, puzzled, yesOrNo];
const mostJoined = 24;

/** Whether known words were written without spaces: 明白了谢谢, ありがとうございます助かります. */
function isJoined(text: string): boolean {
  if (text.length > mostJoined || !unspaced.test(text)) return false;
  const ends = new Set([0]);
  for (let at = 0; at < text.length; at += 1) {
    if (!ends.has(at)) continue;
    for (let end = at + 1; end <= text.length; end += 1) {
      const piece = text.slice(at, end);
      if (lists.some((known) => known.has(piece))) ends.add(end);
    }
  }
  return ends.has(text.length);
}
