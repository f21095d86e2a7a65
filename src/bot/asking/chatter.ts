import { unaccented } from '../../domain/words.ts';

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
/** Scripts in which people write several words without spaces. */
const unspaced = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}ー]+$/u;
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
  / (?:no|non|nao|nie|لا|नहीं|nahi) (?=\S)(?!(?:th|ty|danke|merci|gracias|grazie|obrigad|valeu|dzi|شكر|धन्य|शुक्र|dhany|shukr|no|non|nao|nie|لا)\S* )|(?<=\S) (?:नहीं|nahi) $/gu;

function listed(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => unaccented(line).split(' ')));
}

function phrases(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => unaccented(line).split('|'));
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
  'ευχαριστώ εντάξει τέλεια ωραία ναι όχι شكرا تمام ممتاز نعم لا متشكر مشكور مشكورين حسنا طيب اوكي رائع جميل فهمت وضحت تسلم تسلمون جزاك جزاكم يعطيك يعطيكم العافية بارك شكر شكراا مشكورة تسلموا تسلمي ايدك يسلمو يسلموا ممتن ممتنة ميرسي مرسي ثانكس اوك اوكيه تمم ماشي الحال خلاص مفهوم واضح وصلت عظيم رائعة حلو حلوة جامد برافو كفو صح صحيح بالضبط اكيد طبعا متفق موافق اوافق احسنت احسنتم لول باي عفوا العفو اسف معلش المعذرة ايوه ايوا اه مفيد مفيدة معلومة',
  'धन्यवाद शुक्रिया ठीक अच्छा हाँ हां नहीं जी बढ़िया आभार dhanyavaad dhanyavad shukriya theek thik accha acha badhiya haan nahi थैंक्स थैंक्यू थैंक यू dhanyawad dhanyawaad dhanyvad thanku thnks tik haanji ji bilkul बिल्कुल बिलकुल सही sahi badiya अच्छे acche मस्त mast ekdum zabardast ज़बरदस्त जबरदस्त शानदार shandar वाह wah waah अलविदा माफ़ माफ maaf बधाई शुभकामनाएं शुभकामनाएँ स्वागत',
  'շնորհակալություն լավ አመሰግናለሁ እሺ teşekkürler teşekkür teşekkürederim tamam sağol evet hayır süper',
  'dzięki dziękuję dobrze okej tak nie bedankt dank dankjewel prima goed ja nee top tack tak takk kiitos dzięks dziękujemy dzk dzx spoko dobra jasne świetnie świetne świetny gitara ekstra elegancko zajebiście rewelacja bomba cudownie rozumiem zrozumiałem zrozumiałam zrozumiano kumam czaję dokładnie dokladnie zgadzam zgoda pewnie racja beka dobranoc narka nara sorki sory przepraszam pomyłka nieważne pozdrawiam pozdro brawo gratulacje szacun aha ciekawe pomogło super no oki dankuwel dankje superbedankt hartelijk toppie oké okee mooi mooie helder duidelijk begrepen gesnapt fijn lekker leuk gaaf geweldig fantastisch perfect klopt precies inderdaad welterusten gefeliciteerd groetjes groeten jammer tja doei doeg succes',
  'ขอบคุณ ขอบใจ โอเค เข้าใจแล้ว รับทราบ ดีมาก เยี่ยม สุดยอด ครับ ค่ะ ใช่ ไม่ใช่ ไม่เป็นไร תודה סבבה בסדר כן ممنون مرسی متشکرم باشه',
  'дякую дякуємо добре гаразд так ні terima kasih makasih oke baik дяк дяки дякі дякс щиро спасибі спс ок окей окі зрозуміло зрозумів зрозуміла ясно клас класно круто чудово прекрасно відмінно файно топ бомба вогонь супер згоден згодна погоджуюсь погоджуюся точно бувай бувайте добраніч звертайтесь звертайтеся вибачте вибач перепрошую сорі цікаво корисно молодці красунчики браво шкода зроблено готово домовились прийнято ага угу ору ржу',
  'ありがとう ありがとうございます ありがとうございました どうも 了解 了解です 承知しました なるほど はい いいえ そうですか そうか そうですね あざす あざっす あざます あざーす あざまる サンクス さんきゅー さんくす ないす ナイス 草生える おkです り そっか そうですよね わかる わかりみ 納得しました 完璧 すげー すげえ やばい ヤバい 良いですね おもしろい 生える gj 乙 おつ またね じゃあね ではまた バイバイ ばいばい さようなら 失礼いたします とんでもないです とんでもない 申し訳ありません ううん 結構です 承知いたしました 承知致しました 神',
  '谢谢 謝謝 多谢 谢谢大家 谢谢你 谢谢您 好的 好 收到 明白 明白了 知道了 懂了 嗯 对 是的 不客气 赞 谢啦 谢了 多谢啦 谢谢啦 谢谢啊 谢谢你们 多謝 感謝 太感谢了 太谢谢了 十分感谢 万分感谢 好的呢 好哒 好滴 好嘞 辛苦 哦这样 好吧 好呀 好啊 嗯呢 恩 哦 喔 噢 这样啊 原来这样 明白啦 懂 知道啦 了解了 晓得了 行吧 行的 可以的 没毛病 对的 是啊 是 确实是 确实如此 的确 赞同 赞成 附议 说得好 很有道理 讲得好 牛啊 nb okok okk ok的 get到了 get了 厉害了 太强了 强 太牛了 绝了 优秀 完美 棒 很棒 很好 非常好 挺好 挺好的 点赞 给力 有用 很有用 学习了 受教了 涨知识了 嘻嘻 笑哭 xswl 886 3q 666 6666 回见 明天见 回头见 下次见 晚点聊 不谢 客气了 应该的 对不起 打扰了 麻烦了 麻烦大家了 不用了 不用谢 不了 不用 明白了解 好的明白',
  '감사합니다 감사해요 감사드립니다 고마워 고마워요 고맙습니다 ㄳ 좋네요 훌륭해요 최고 최고예요 네 넵 예 아니요 알겠습니다 좋아요 ㅇㅇ 감사함다 감사해용 감사요 감사여 땡큐 땡스 고마워용 고맙다 넴 옙 오케 옥케이 알겠어 알았어 알았어요 알았습니다 이해했습니다 이해했어요 이해됐어요 아하 그렇구나 그러네요 맞아 맞네 ㅇㅈ 인정 ㄹㅇ 레알 동의 공감 좋아 좋습니다 좋네 좋다 나이스 쩐다 쩌네 최고에요 최고다 짱 짱이다 짱이에요 멋지다 멋져요 멋지네요 훌륭합니다 완벽해요 완벽 완벽합니다 고생하셨습니다 고생하셨어요 수고요 수고많으셨습니다 많으셨습니다 ㅅㄱ 잘가 잘자 잘자요 빠이 ㅂㅂ ㅂㅇ 천만에요 별말씀을요 괜찮아요 괜찮습니다 죄송해요 미안 미안해요 확인했어요 참고할게요 참고하겠습니다 도움됐어요 도움됐습니다 ㄴㄴ 아뇨 유익하네요 재밌네요 재밌다 재미있네요 신기하네요 ㅠㅠ ㅜㅜ ㅠ ㅜ',
  'fair yw cya ttyl sry ta mate amen gl idk damn rip oof yikes ugh meh whatever infiniment bunch stuff work job ace dope solid legit gotcha fab ah ahh ahhh oh ooh aha yea yess yesss congratulations np nvm gg',
  'gern gerne schöne danke lieb lieben dankesehr läuft geil krass spitze cool nice jap jep joa aha achso verstanden perfekt freut',
  'bcp ouais ok okay bah nickel cool chouette bravo compris remercie top ouf voilà super génial entendu',
  'graciass muchísimas grax sip guay estupendo entiendo entendido listo dale ok buenísimo chévere excelente ah',
  'obg obrigadíssimo obrigadíssima obrigadão obrigadinha brigado brigada vlw blz show massa legal entendi joia certo combinado maravilha ah',
  'どういたしまして お疲れさまでした お疲れ様でした なるほどね 面白い 面白いですね うける ありがとー ありがと ありがとうー どうもありがとう サンキュー いいですね いいね すごい すごいですね すばらしい 素晴らしい',
  'オッケー おk okです 承知です 了解しました わかりました 分かりました わかった たしかに 確かに おー おお へえ へー さすが 助かります',
  'пожалуйста согласен согласна точно спасибки спасиб благодарствую ага угу круто здорово прикольно ясненько принято договорились точно пон а о',
  'katılıyorum rica eyvallah aynen harika güzel anladım anlaşıldı tmm tşk tşkler mükemmel bravo peki oldu çok saol saolun sağolun tşk tsk tskler eyw tmmdır okeydir süpermiş güzelmiş iyi iyiymiş harikasınız efsane doğru',
  'bye goodbye later gn night tschüss tschüs nacht ночи спокойной adiós tchau пока doei wiedersehen bis bald geceler görüşürüz hoşçakal おやすみ おやすみなさい お先に失礼します 再见 拜拜',
  'totally impressive genius bingo nailed roger phew bruh dude lolol legend legends oki okie dokie yessir precisely fascinating insightful useful interesting hilarious funny fun outstanding superb thnx thanx thankies respect perfection heh nevermind',
  'ha mercis orz ха dankee dankö hilfreich interessant spannend mega hammer ups upps erledigt notiert dito respekt bitteschön lg vg schade wahnsinn hilft egal okidoki dankeschoen vielmals wunderbar jau jawoll jawohl huhu tschau tschö dangge mersi bestens prächtig sauber fein läuft',
  'mille intéressant utile chapeau oups désolé désolée pardon idem pareil exactement carrément clair grave waouh dac oki compris reçu bises bise jpp mci daccord dacodac impec impeccable bisous biz tchao tchô volontiers xptdr excellente',
  'igual exacto hecho anotado ups perdón interesante útil crack cracks enterado enterada brutal tremendo estupenda geniales buenísima chao chau grcs máquina buenísimo muchísimas chido órale ándale adiós besos igualmente agradecido agradecida ntp tmb',
  'bacana saquei concordo exato isso tranquilo abraço abraços abs desculpa desculpe desculpem ops feito anotado interessante útil parabéns uau tmj tá demais ótima mt brigadão fechou obgd mto valeuu ata atá aah suave sussa flw falou bjs beijos disponha gratidão agradeço agradecido agradecida sqn dboa tranquilinho',
  'esatto certo chiaro capita prego figurati scusa scusate interessante bello bella bravi bravissimi ottima grande fantastico utile utilissimo esattamente accordo grz graziee grazieee chiarissimo bellissimo grandi geniale buono vabbè boh mah arrivederci baci saluti ringrazio concordiamo rotfl',
  'именно поддерживаю плюсую ладно классно шикарно огонь интересно полезно хех ору ржу извините извини сорри сорян упс забудьте забей готово сделано записал записала молодцы молодец красавчики красавчик вау пасиб пасибки пасибо благодарен благодарна верно справедливо логично забавно ясненько здорово четко чётко пасиба сенкс сенк ю сяп ясн принял оки окау оке ладненько хор норм нормально збс кайф топ бомба прекрасно замечательно великолепно идеально чудесно красавцы респект уважуха лайк плюс ржака ржунимагу бывай увидимся споки обращайтесь жиза огромное спасибочки мерси',
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
  'absolutely definitely correct right certainly absolut natürlich jawohl bitte absolument конечно нет неа kesinlikle tabii tabi ji proszę будь ласка jasne pewnie oczywiście zeker jazeker natuurlijk graag звісно звичайно 可以的 是 当然 もちろん 물론 물론이죠 ايوه ايوا اكيد طبعا صح بالضبط बिल्कुल bilkul haanji ji ううん 아뇨 ㄴㄴ volontiers',
);
const opening = listed(
  'hi hello hey heya hiya yo morning afternoon evening gm greetings welcome opa grüß',
  'hallo moin servus grüezi morgen abend guten bonjour bonsoir salut coucou journée soirée',
  'hola buenos buenas días tardes noches oi olá bom boa dia tarde noite ciao buongiorno buonasera salve',
  'привет здравствуйте здравствуй доброе добрый утро день вечер γεια καλημέρα καλησπέρα χαίρετε',
  'مرحبا أهلا وسهلا سلام السلام عليكم وعليكم صباح مساء ورحمة وبركاته مرحبتين هلا هلابك وغلا اهلين هاي الورد الياسمين नमस्ते नमस्कार प्रणाम सुप्रभात namaste namaskar हैलो हेलो हाय suprabhat pranam शुभ प्रभात संध्या բարև ሰላም merhaba selam günaydın cześć hej dzień dobry siema siemka elo hejka witam witajcie wieczór hoi goeiemorgen goeiemiddag goeienavond goede dag dag',
  'goedemorgen goedemiddag goedenavond hoi สวัสดี สวัสดีครับ สวัสดีค่ะ หวัดดี หวัดดีครับ หวัดดีค่ะ ดีครับ ดีค่ะ xin chào שלום היי سلام درود',
  'привіт вітаю halo selamat pagi вітання здоровенькі добрий ранок вечір хай усім',
  'noite soirée nuit nuitée journée ciao grüße gruß mahlzeit slt bjr cc moinsen grüß',
  'всем доброй здрасьте приветик akşamlar günler sabahlar kolay gelsin приветы прив здарова здаров здрасте доброго ку хай хеллоу салют mrb mrhb slm merhabalar selamün aleyküm',
  'お疲れ よろしくお願いします よろしく やあ どうもです',
  'はじめまして もしもし こんにちは こんばんは おはよう おはようございます お疲れ様です お疲れさまです おつかれ',
  '你好 您好 大家好 早 早上好 大家早上好 晚上好 안녕 안녕하세요 여러분 아침 아침이에요',
  'selamlar herkese buona giorno 早安 早上好 上午好 中午好 下午好 各位好 你好啊 你们好 嗨 哈喽 早啊 大家早 buondì pomeriggio oie oii holaa holi wenas buenas ciaoo 안녕하십니까 안뇽 하이 하이요 ㅎㅇ 반가워요 반갑습니다 こんちは おはよー おはです おつかれさまです 初めまして よろしくです よろしくお願いいたします 宜しくお願いします',
);
/** Words that accompany these and mean nothing alone. */
const filler = listed(
  'you u so much very a an the lot lots all everyone everybody guys folks team council sages many for to and',
  "that that's thats it its it's this really answer answers help me i i'm too just have had weekend day",
  'euch dir dich allen alle zusammen sehr und schön schönes schönen schöne wochenende tag das alles mal à tous toutes vous toi beaucoup et',
  "bonne bon c'est muchas muchos mil a todos todas y de muito mesmo mille tutti e большое всем вам и",
  'πολύ σας جزيلا لك لكم جميعا كثيرا على المساعدة الاجابة الرد الردود الخير النور الله خيرا خير فيك فيكم يا شباب',
  'बहुत है आप आपका आपको सब सबका सबको मदद जवाब के लिए का bahut hai aap aapka sabko جدا सभी को हो देने जी ji bhai yaar सलाह परिषद ज्ञानियों كتير كثير الف باشا غالي للمجلس حكماء معك عليك بالجميع',
  'çok ederim ederiz bardzo wielkie je wel u zeer allemaal za pomoc odpowiedź odpowiedzi radę rady wszystkim wam i serdecznie jullie heel erg voor de het hulp antwoord antwoorden advies wijzen raad ook helemaal wszystkich mędrcy คุณ มาก คับ คะ นะครับ นะคะ นะ ทุกคน เลย จ้า nhiều bạn',
  'רבה מאוד خیلی дуже banyak всім вам за допомогу відповідь відповіді пораду поради красно велике велику повністю і',
  'input insight insights advice feedback explanation clarification reply response responses your yall there folks 大家 みなさん 皆さん 皆様 ご回答 ご意見 ご助言 ご返信 回答 アドバイス 丁寧な 早速の 정말 너무 아 와 오 답변 조언 의견 모두 다들 도움이 많이 큰 各位 大佬 分享 解答 您的 你的 帮助 智者 智囊团 です ですね ですよね とても すごく めっちゃ めちゃくちゃ 誠に ご丁寧な ご丁寧に 返信 教えてくれて 教えていただき 教えていただいて 教えてくださり 教えてくださって 賢者の 評議会の 진짜 대단히 완전 도와주셔서 알려주셔서 답변해주셔서 친절한 좋은 자세한 도움 많은 위원회',
  'besten herzlichen tausend gott für eure deine ihre hilfe antwort antworten euren input rat so ganz wirklich tolle tollen auch die den fürs antworten deinen ausführliche ausführlichen schnelle einschätzung tipps tipp ratschlag trotzdem schonmal leute ihr lieben miteinander',
  "pour vos votre ton tes l'aide les réponses réponse c'est trop tout grand un monde conseils aide retour retours précieux précieuse le conseil gars quand même avoir répondu",
  'por la las el ayuda respuestas respuesta consejos equipo amigos chicos totales muy su tu sus responder todo verdad consejo sabios',
  'pela pelas pelo resposta respostas ajuda plenamente gente pessoal galera força mano então conselho sábios atenção pelos dica dicas',
  "per l'aiuto le risposte risposta la aiuto a davvero di cuore tante tutto ragazzi consiglio consigli saggi molto così infinite",
  'за ответ ответы помощь очень полностью совет советы все ребят ребята развернутый развёрнутый подробный подробные быстрый мудрецы советом ну вы отклик утра дня вечера времени суток ранку вечора були',
  'arkadaşlar çok için cevaplar cevap yardım yardımınız kardeşim kanka hocam konsey yardımlarınız cevabınız cevabın ilgilendiğiniz ilginiz',
);
/** Beside {@link filler}, these ask for what it names. */
const pleas = listed(
  'bitte graag proszę prego пожалуйста будь ласка よろしく よろしくです よろしくお願いします よろしくお願いいたします 宜しくお願いします',
);
/** What people ask of the council in a word or two: “Antwort bitte”, “help 🙏”. */
const wanted =
  /help|advice|answer|feedback|expla|insight|input|hilfe|antwort|tipp|(?:^| )rat(?: |$)|ratschlag|einschatzung|aide|conseil|reponse|ayuda|respuesta|consejo|ajuda|resposta|dica|aiuto|rispost|consigli|hulp|antwoord|advies|pomoc|odpowied|rade|помощь|ответ|совет|допомог|відповід|порад|yardim|cevap|المساعدة|الاجابة|الرد|मदद|जवाब|सलाह|回答|意見|助言|返信|アドバイス|답변|조언|의견|도움|解答|帮助/u;
/** Puzzled reactions that ask nothing. */
const puzzled = listed('huh hm hmm eh wat wut wtf omg oh ah what hä hein');
/** Korean laughter is written as NFKC leaves it. */
const laughter =
  /^(?:[hae]{3,}|5{3,}|(?:हा){2,}|(?:asd|sdf|dfg|fgh|jkl|sjs|ksk|jsk)[asdfghjkl]{2,}|лол|кек|[hi]{4,}|[jaei]{4,}|[js]{4,}|k{3,}|(?:rs){2,}|[хае]{4,}|l+o+l+s*|lmf?ao+|rofl|x+d+|(?:pt)?mdr+|ptdr+|ه{3,}|[\u110f\u1112\u1172\u116e]+|w{2,}|草|笑|笑笑|23{3,}|[哈呵嘿]+)$/u;
/** Greetings in the form of questions. */
const greetings = new Set(
  phrases(
    "how are you|how are you all|how is it going|how's it going|what's up|sup|wie geht's|wie gehts|wie geht es euch|wie gehts euch|wie geht's euch|wie geht es dir|wie gehts dir|wie geht's dir",
    'ça va|comment ça va|qué tal|cómo estás|cómo están|tudo bem|tudo bom|come va|come stai|как дела|як справи|sa va|ca va bien|comment vas tu|comment allez vous|tu vas bien|vous allez bien|quoi de neuf|hola q tal|q tal|qué onda|cómo va|todo bien|td bem|tudo certo|como vai|como vocês estão|como cê tá|come state|tutto bene|как жизнь|как сам|как вы|як ви|як діла|як життя|hoe is het|alles goed',
    'كيف حالك|كيف حالكم|كيف الحال|e aí|आप कैसे हैं|कैसे हो|कैसे हैं आप|kaise ho|kaise hain aap|क्या हाल है|kya haal hai|kya haal|sab badhiya|สบายดีไหม|nasılsın|nasılsınız|naber|nbr|ne haber|nasıl gidiyor|jak się masz|co słychać|co tam|jak leci|jak się macie|hoe gaat het|你好吗|大家好吗|元気ですか|お元気ですか',
    '잘 지내세요|안녕하세요|τι κάνεις|τι κάνετε|잘 지내|별일 없죠|元気|調子どう|最近怎么样|在吗|在不在|吃了吗|كيفك|كيفكم|شلونك|شلونكم|شخبارك|شخباركم|ازيك|ازيكم|عامل ايه|عاملين ايه|شو الاخبار',
  ),
);
/** Phrases of agreement, thanks and farewell whose single words can mean more. */
const courtesies = phrases(
  "nice one|good one|good point|great point|fair point|fair enough|makes total sense|that makes sense|sounds good|sounds great|sounds good to me|works for me|same here|me too|will do|on it|well said|well done|love it|love this|i see|oh i see|ah i see|no problem|no worries|you're welcome|my pleasure|see you|see ya|see you later|take care|happy birthday|happy friday|welcome back|that was helpful|that was great|good luck|fingers crossed|let's go|lets go|never mind|my bad|have a good one|thanks a bunch|thanks in advance|cheers mate|good call|good idea|great idea|good to know|that helps",
  'klingt gut|guter punkt|gute idee|bis später|bis morgen|bis dann|schönen feierabend|kein problem|gern geschehen|bitte sehr|das hilft|kein stress|passt schon|schon mal|na dann|hat mir sehr geholfen|das war hilfreich|das war sehr hilfreich|gerne wieder|ich danke|wir danken|das reicht mir|schönen tag noch|schönen abend|schoenen abend|schönen abend noch|schoenen tag noch|sehr schön|cám ơn|cảm ơn|vâng|cảm ơn bạn|cảm ơn nhiều|habt dank|bis denne',
  "समझ गया|समझ गई|समझ गयी|समझ में आ गया|samajh gaya|samajh gayi|samjh gaya|samaj gaya|smjh gya|samajh aa gaya|thik h|bahut ache|theek h|क्या बात है|kya baat hai|सही बात है|sahi baat|sahi bola|राम राम|ram ram|jai shri ram|जय श्री राम|जय हिंद|jai hind|जय हो|शुभ रात्रि|फिर मिलेंगे|phir milenge|चलो ठीक है|chalo thik hai|chal thik hai|कोई बात नहीं|koi baat nahi|koi nahi|माफ़ करना|माफ कीजिए|maaf karna|merci infiniment|je vois|bien vu|pas de souci|pas de soucis|de rien|à plus|à bientôt|à demain|bonne idée|bon point|bon week-end|ça marche|c'est noté|je vous en prie|je t'en prie|très bien|très bon|très bonne|très clair|très utile|très intéressant|très cool|pas de pb|no soucy|à plus tard|cava|ok d'acc|d'acc|je suis mort|chui mort|avec plaisir|c'est gentil|ok noté|bien noté|trop fort|merci d'avoir répondu",
  'de nada|buen punto|buena idea|hasta luego|hasta mañana|nos vemos|buen finde|tiene sentido|sin problema|no hay problema|ya veo|con gusto|con mucho gusto|a la orden|no pasa nada|no te preocupes|todo claro|sale gracias|todo bien|me quedó claro|quedó claro|qué genial|qué chido|está bien|va que va|de una|te lo agradezco|se agradece|lo siento|feliz finde|hasta pronto',
  'bom ponto|boa ideia|até mais|até logo|até amanhã|bom fim de semana|faz sentido|sem problema|por nada|imagina|sem problemas|pode crer|de boa|foi mal|tudo certo|desculpa aí|e aí beleza|com prazer',
  "di niente|di nulla|a domani|a dopo|buona idea|nessun problema|graag gedaan|tot morgen|goed punt|geen probleem|nie ma za co|nie ma sprawy|do jutra|non c'è di che|alla prossima|ci vediamo|ci sentiamo|tutto ok|tutto bene|alles goed|ok dai|anche io|anch'io|mi dispiace|siete grandi|siete i migliori|sei un grande|un abbraccio|buona giornata|buon pomeriggio|buon fine settimana|buona notte|ti ringrazio|vi ringrazio|ah ecco|geen dank|geeft niet|is goed|snap ik|goed zo|mooi zo|ik snap het|mee eens|tot ziens|tot later|fijne dag|fijne avond|fijn weekend|prettig weekend|slaap lekker|werk ze|no tak|no właśnie|zgadzam się|masz rację|macie rację|do widzenia|do zobaczenia|na razie|miłego dnia|milego dnia|miłego weekendu|milego weekendu|miłego wieczoru|bardzo pomocne|no i super|spoko luz|proszę bardzo",
  'не за что|хорошая мысль|хорошая идея|до завтра|до встречи|без проблем|рад помочь|rica ederim|iyi fikir|bir şey değil|sorun değil|sorun yok|yarın görüşürüz|до свидания|всего доброго|спок ноч|не стоит благодарности|прошу прощения|так и думал|очень помогло|вы лучшие|давай пока|좋은 하루 되세요|좋은 하루 보내세요|좋은 주말 보내세요|주말 잘 보내세요|안녕히 계세요|안녕히 가세요|안녕히 주무세요|내일 봐요|나중에 봐요|또 봐요|понял принял|красно дякую|на добраніч|до побачення|до зустрічі|гарного дня|гарних вихідних|гарного вечора|нема за що|нема за шо|немає за що|слава україні|героям слава|бажаю гарного дня|саме так|па па|pa pa|sağ ol|sağ olun|bay bay|kendine iyi bak|hayırlı işler|hayırlı cumalar|özür dilerim|emeğinize sağlık|vay canına|on numara|ما شاء الله|ماشاء الله|سبحان الله|الحمد لله|ان شاء الله|انشالله|الله يبارك فيك|الله يخليك|ربنا يخليك|ما قصرت|ما قصرتوا|ولا يهمك|مع السلامة|الى اللقاء|تصبح على خير|تصبحون على خير|في امان الله|يوم سعيد|نهارك سعيد|وصلت الفكرة|اتفق معك|فهمت عليك|هلا والله|تمام التمام|اهلا بكم',
  "thanks again|thank you again|thank you very much|that's all|that was all|that's it|all good|all good now|good stuff|sounds like a plan|let's do it|lets do it|roger that|copy that|10 10|big oof|i'm dead|im dead|good bot|you rock|you guys rock|you're the best|you are the best|best answer|what a time to be alive|mind blown|holy moly|thank god|spot on|wrong thread|wrong channel|wrong chat|wrong window|ignore that|ignore me|found it|figured it out|happy monday|see you tomorrow|see you then|see you around|see you monday|talk soon|talk later|have a nice day|have a good day|have a great day|have a nice weekend|have a good weekend|nice to know|well put|nicely done|ohh i see|ha fair|love this one|that was fun|well said|alright then|agreed 100|awesome sauce|this was really helpful|nicely put|couldn't agree more|i agree|i concur|count me in|i'm in|im in|so true|very true|too true|exactly this|this is the way|answers it|answers my question|that answers it|that answers my question|got what i needed|no more questions|nothing else|we're good|were good|i'm good|im good|made my day|on point|my thoughts exactly|great minds|keep it up|as always",
  'bin dabei|bin dafür|finde ich auch|find ich auch|seh ich auch so|sehe ich auch so|seh ich genauso|sehe ich genauso|stimmt auch wieder|genau so|genau das|so ist es|schönes we|schönes wochenende|gute nacht|kein ding|falscher thread|falscher chat|falscher kanal|hat sich erledigt|mach ich|machen wir|wird gemacht|gut zu wissen|läuft bei uns|ihr seid die besten|hat geholfen|hat mir geholfen|das hilft mir|liebe grüße|viele grüße|beste grüße|ach so|lach mich weg|ich lach mich weg|alles gut|passt so|das wars|das war es|alles klar|bin einverstanden|schöne woche|guten rutsch|frohe weihnachten|da ist was dran',
  "merci d'avance|bon week end|bon weekend|bonne semaine|bonne fin de journée|pas de quoi|pas de problème|y a pas de quoi|laissez tomber|laisse tomber|mauvais canal|mauvais fil|c'est bon|c'est bon pour moi|c'est clair|tout à fait|je suis d'accord|mort de rire|trop bien|bien joué|bien dit|ça roule|ok d'acc|je comprends mieux|je comprends|bonne continuation|c'est parfait|rien à ajouter|tout est dit|bonnes vacances",
  'buen día|feliz viernes|feliz lunes|buen fin de semana|no hay de qué|canal equivocado|hilo equivocado|ya está|nada ya está|qué bueno|qué bien|muy bien|sois los mejores|son los mejores|tal cual|así es|ya entendí|ya entiendo|me parto|yo también|de acuerdo|olvídenlo|olvídalo|me parece bien|me parece perfecto|gracias de antemano|hasta la próxima|un abrazo|un saludo|saludos|buena semana|tienes razón|tienen razón',
  'show de bola|canal errado|deixa pra lá|deixa quieto|que legal|que bom|que massa|muito legal|isso aí|isso mesmo|tá bom|tá certo|tá ótimo|bom fds|bom final de semana|boa semana|mesma coisa|eu também|tamo junto|sem dúvida|um abraço|nada a acrescentar|faz todo sentido|é isso|é isso aí|até breve|tem razão',
  "d'accordo|va benissimo|buona serata|buona notte|canale sbagliato|come non detto|niente male|sono d'accordo|ben detto|a presto|buon weekend|buon lavoro|ha senso|tutto chiaro",
  'не туда|ошибся чатом|ошиблась чатом|ошибся веткой|хорошего дня|хорошего вечера|хороших выходных|доброй ночи|полностью согласен|так и есть|так точно|в точку|без комментариев|имеет смысл|есть смысл|буду знать|всё понятно|все понятно|всё ясно|все ясно|больше вопросов нет|до связи|на связи|спасибо заранее|так держать|в тему',
  'aynen öyle|bence de|önemli değil|kusura bakmayın|kusura bakma|yanlış kanal|not aldım|hoşça kalın|hoşça kal|helal olsun|çok iyi|çok güzel|elinize sağlık|ellerinize sağlık|eline sağlık|iyi hafta sonları|iyi haftalar|iyi çalışmalar|mantıklı|çok mantıklı|görüşmek üzere|vay be|haklısınız|başka sorum yok|bu kadar',
);

const courtesy = new RegExp(
  `(?<= )(?<! (?:no|non|nao|ne|nie|не|لا) )(?:${courtesies.toSorted(byLength).join('|')})(?= )`,
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
  // "Cool?" asks something, "huh?" and "lol what?" do not. "Me muero" may be meant.
  const isAsking = /[?？؟]/.test(bare);
  const said = wordsOf(isAsking ? bare : withoutPeople(bare), !isAsking);
  if (said.length === 0) return wordlessChatter(text, bare);
  if (isGreetingQuestion(said)) return 'greeting';
  const words = isAsking ? said : said.filter((one) => !one.startsWith('@'));
  if (words.length === 0) return undefined;
  const isLaughed = words.some((one) => laughter.test(one)) || /[😂🤣😆😹💀]/u.test(text);
  const isChatterWord = (one: string) => {
    if (laughter.test(one)) return true;
    if (/^(?:what|muero|sto|morendo)$/.test(one)) return isLaughed;
    return isAsking ? puzzled.has(one) : isKnown(one);
  };
  if (!words.every(isChatterWord)) return undefined;
  const meant = words.filter((one) => yesOrNo.has(one) || !isMadeOf([filler, pleas], one));
  if (meant.every((one) => pleas.has(one)) && wanted.test(words.join(' '))) return undefined;
  if (meant.length > 0 && meant.every((one) => yesOrNo.has(one))) return 'answer';
  if (words.some((one) => opening.has(one))) return 'greeting';
  // “This 👆” says no more than its emoji, but “and you” may be a question.
  const saysSomething = text.search(emoji) >= 0 || !words.every((one) => isMadeOf([filler], one));
  return saysSomething ? 'closing' : undefined;
}

/** The text without people's names, where it thanks or greets them. */
function withoutPeople(bare: string): string {
  const begun = bare.replace(/^\s*\p{Lu}/u, (first) => first.toLowerCase());
  return begun.replace(namedPerson, ' ');
}

/** @param isStated - Counts courtesies of several words as one word. */
function wordsOf(bare: string, isStated: boolean): readonly string[] {
  const clauses = unaccented(bare).split(clauseEnd);
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

const lists = [closing, opening, filler, puzzled, yesOrNo];
const isKnown = (one: string) => isMadeOf(lists, one);
const mostJoined = 24;

/** Whether a word is listed, or all that were written without spaces: 明白了谢谢, ありがとうございます助かります. */
function isMadeOf(lists: readonly ReadonlySet<string>[], text: string): boolean {
  if (lists.some((known) => known.has(text))) return true;
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
