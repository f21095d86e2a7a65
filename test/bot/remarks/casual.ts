/** What people type in chats in their own language: without accents, in slang, in the local way of thanking and parting. */

import { type Busy, said } from './busy.ts';

export const casual: Readonly<Record<string, Busy>> = {
  german: {
    council: said(
      'und was ist mit der steuer|koennt ihr das kuerzer|echt jetzt?|gibts ne alternative',
      'wieso das denn|ok und jetzt|was meint ihr|sollen wir das machen|danke, was kostet das',
      'nein danke, lieber das andere|warum|wer|ich brauch hilfe beim umzug|passt das so?',
      'alles klar? ich verstehe nix',
    ),
    nobody: said(
      'dankeschoen|danke fürs antworten|danke für die schnelle antwort|thx leute|merci vielmals',
      'danke, das reicht mir|servus miteinander|danke schonmal|danke schon mal|sehr schön',
      'wunderbar|danke trotzdem|ok danke trotzdem|das war hilfreich|hat mir sehr geholfen',
      'na dann|jau|jawoll|guten morgen ihr lieben|moinsen|huhu|wie gehts?|wie gehts euch?',
      'tschau|bis denne|schönen tag noch|schoenen abend|kein stress|gerne wieder|dangge|mersi',
      'passt schon|hä?|ich danke dir|ich danke euch|wir danken euch|habt dank',
      'danke für die Einschätzung',
    ),
  },
  french: {
    council: said(
      'pk|pkoi|pourquoi ?|et les impots|c quoi le risque|ok mais cmt on fait',
      'vous en pensez quoi|lequel du coup|du coup on fait quoi|plus court stp|tu peux détailler',
      'merci mais pk|jsp quoi faire|un exemple ?',
    ),
    nobody: said(
      'mci|merci beaucoup pour votre aide|merci pour votre aide|ok noté|cava|ca va ?|sa va ?',
      "slt|slt tout le monde|bjr|cc|a plus|à plus tard|biz|bisous|tchao|dacodac|d'acc|daccord",
      "xptdr|c'est gentil|trop fort|excellente réponse|impec|impeccable|merci d'avoir répondu",
      "merci quand même|avec plaisir|je t'en prie|pas de pb|no soucy|comment vas-tu ?",
      'comment allez-vous ?|tu vas bien ?|vous allez bien ?|quoi de neuf ?|merci le conseil',
      'merci les gars|chui mort|je suis mort 😂',
    ),
  },
  spanish: {
    council: said(
      'pq|xq|por que|y los impuestos|q opinan|que hago|cual es mejor|y si sale mal|mas corto',
      'y entonces?|no entendi|en serio|gracias pero cual|otra cosa: cuánto cuesta',
    ),
    nobody: said(
      'grcs|muchisimas gracias|gracias de verdad|gracias por todo|gracias por su ayuda',
      'gracias por responder|gracias máquina|sale gracias|va que va|de una|buenisimo|que genial',
      'qué genial|me quedó claro|quedo claro|órale|ándale|chido|qué chido|está bien',
      'esta bien gracias|todo bien|todo claro|ntp|no pasa nada|no te preocupes|holaa|holi',
      'hola q tal|que tal?|como estas|wenas|buen dia|buenos dias|qué onda|que onda?|besos|adios',
      'feliz finde|con mucho gusto|a la orden|gracias consejo|gracias sabios|tmb|igualmente',
      'te lo agradezco|se agradece|lo siento',
    ),
  },
  portuguese: {
    council: said(
      'pq|e os impostos|como assim|e ai qual|qual o melhor|e se der errado|mais curto pfv',
      'q vcs acham|n entendi|n|tem certeza?|serio?|exemplo|obrigado mas qual|resume ai',
    ),
    nobody: said(
      'obgd|mto obrigado|obrigado pela força|valeu mano|blz então|beleza então|otimo|ata|atá',
      'isso ai|é isso ai|pode crer|suave|sussa|oie|oii|e ai?|td bem?|tudo certo?|como vai?',
      'como vocês estão?|flw|falou|ate amanha|bjs|disponha|sem problemas|nao obrigado|gratidão',
      'agradeço|agradeço demais|agradecido|obrigado sábios|valeu conselho|desculpa aí|foi mal',
      'sqn',
    ),
  },
  italian: {
    council: said(
      'xke|perche|e le tasse|quindi?|quale|e se va male|piu breve|cosa faccio|nn ho capito',
      'davvero|esempio|grazie ma quale|riassumi|e poi',
    ),
    nobody: said(
      'grz|grz mille|grazie davvero|grazie di cuore|grazie tante|grazie di tutto|grazie ragazzi',
      'grazie infinite|ti ringrazio|vi ringrazio|ok grz|va bene così|ah ecco|chiarissimo',
      'molto chiaro|molto utile|molto interessante|bellissimo|geniale|grandi|siete grandi',
      'siete i migliori|sei un grande|rotfl|sto morendo 😂|ciaoo|ciao ragazzi|buondì',
      'buongiorno ragazzi|buona giornata|buon pomeriggio|buon fine settimana|come state?',
      'tutto bene?|tutto ok|alla prossima|ci vediamo|ci sentiamo|arrivederci|baci|un abbraccio',
      "saluti|non c'è di che|no grazie|anche io|anch'io|scusate ragazzi|mi dispiace|boh|mah",
      'vabbè|ok dai|grazie consiglio|grazie saggi',
    ),
  },
  dutch: {
    council: said(
      'waarom|en de belasting|hoezo|en dan|welke|wat nu|en als het mislukt|korter aub|echt?',
      'zeker weten?|voorbeeld|bedankt maar welke|snap ik niet|vat samen',
    ),
    nobody: said(
      'dank jullie wel|dankuwel|hartelijk dank|heel erg bedankt|superbedankt',
      'bedankt voor de hulp|bedankt voor het antwoord|bedankt voor jullie antwoorden|toppie|oké',
      'okee|ok is goed|is goed|goed zo|mooi|mooi zo|helder|helder bedankt|duidelijk',
      'duidelijk bedankt|heel duidelijk|ah duidelijk|snap ik|ik snap het|begrepen|gesnapt|fijn',
      'fijn bedankt|lekker|leuk|gaaf|geweldig|fantastisch|klopt|precies|inderdaad|mee eens',
      'helemaal mee eens|goeiemorgen|goeienavond|alles goed?|doeg|tot ziens|tot later|fijne dag',
      'fijne avond|fijn weekend|prettig weekend|welterusten|slaap lekker|geen dank|geeft niet',
      'gefeliciteerd|groetjes|groeten|werk ze|succes|dank wijzen|dank raad|jammer|tja',
      'hoe is het?|goede morgen',
    ),
  },
  polish: {
    council: said(
      'dlaczego|czemu|a podatki|co dalej|ktory|a jak nie wyjdzie|krócej|serio?|na pewno?',
      'przyklad|dzięki ale który|nie rozumiem|nie zgadzam się|nie dobrze|podsumuj|i co teraz',
    ),
    nobody: said(
      'dzieki|dziekuje|dzięki za pomoc|dzięki za odpowiedź|dziękuję za odpowiedzi|dzięks|dzieks',
      'dzk|dzx|spoko|spoko dzięki|dobra|dobra dzięki|dobra, dzięki|jasne dzięki|świetnie',
      'swietnie|swietne|świetne|gitara|ekstra|elegancko|zajebiście|rewelacja|bomba|cudownie',
      'rozumiem|rozumiem, dzięki|zrozumiałem|zrozumiano|kumam|czaję|no tak|no właśnie|dokładnie',
      'dokladnie|zgadzam się|zgoda|racja|masz rację|macie rację|beka|czesc|czesc wszystkim',
      'siema|siemka|elo|hejka|hej wszystkim|witam|witam wszystkich|witajcie|dzien dobry',
      'dzień dobry wszystkim|dobry wieczór|dobranoc|co tam?|jak leci?|jak się macie?',
      'do widzenia|do zobaczenia|na razie|narka|nara|miłego dnia|miłego weekendu|milego dnia',
      'proszę bardzo|spoko luz|sorki|sory|przepraszam|pomyłka|nieważne|pozdrawiam|pozdro',
      'brawo|gratulacje|dziękuję wam|dzięki wszystkim|dzięki mędrcy|szacun|ok rozumiem|ciekawe',
      'bardzo ciekawe|bardzo pomocne|pomogło|no i super',
    ),
  },
  turkish: {
    council: said(
      'neden|niye|peki vergi|nasil yani|ee sonra|hangisi|olmazsa ne olur|kisalt|emin misin',
      'ornek|tesekkurler ama hangisi|anlamadım|özetle|ne yapayım',
    ),
    nobody: said(
      'saol|sagol|sagolun|saolun|tsk|tskler|tesekkur ederim|cok tesekkurler|eyw',
      'eyvallah kardeşim|tmmdır|okeydir|süpermiş|harikasınız|mukemmel|cok iyi|cok guzel',
      'güzelmiş|guzel|iyiymiş|efsane|on numara|aynen kanka|doğru|dogru|mrb|mrhb|slm|merhabalar',
      'selamün aleyküm|aleyküm selam|gunaydin|iyi aksamlar|naber?|nbr|ne haber?|nasıl gidiyor?',
      'gorusuruz|bay bay|kendine iyi bak|hayırlı işler|hayırlı cumalar|özür dilerim',
      'emeğinize sağlık|teşekkürler konsey|ilgilendiğiniz için teşekkürler|vay canına',
    ),
  },
  russian: {
    council: said(
      'почему|а налоги|и что дальше|какой|а если не получится|короче|серьёзно?|уверен?|пример',
      'спасибо, а какой|не понял|подытожь|что делать|а смысл',
    ),
    nobody: said(
      'огромное спасибо|пасиба|сенкс|сенк ю|спасибо за развернутый ответ',
      'спасибо за подробный ответ|ясн|понял принял|принял|оки|окау|оке|ладненько|хор|норм',
      'норм спасибо|нормально|збс|кайф|топ|бомба|прекрасно|замечательно|великолепно|идеально',
      'красавцы|респект|респект вам|уважуха|лайк|плюс|так и думал|ржака|ржунимагу|приветы|прив',
      'здарова|здаров|здрасте|доброго дня|доброго утра|доброго времени суток|ку|хай|хеллоу',
      'салют|как жизнь?|как сам?|как вы?|до свидания|увидимся|давай пока|бывай|споки|спок ноч',
      'всего доброго|не стоит благодарности|обращайтесь|прошу прощения|спасибо мудрецы',
      'очень помогло|вы лучшие|жиза|ну ок|ну ладно|ну понятно',
    ),
  },
  ukrainian: {
    council: said(
      'чому|а податки|і що далі|який|а якщо не вийде|коротше|серйозно?|впевнені?|приклад',
      'дякую, а який|не зрозумів|підсумуй|що робити|а сенс',
    ),
    nobody: said(
      'дяк|дяки|дякі|щиро дякую|красно дякую|дякую всім|дякую за допомогу|дякую за відповідь',
      'дякую за відповіді|спасибі|окі|зрозуміло|зрозумів|зрозуміла|зрозумів, дякую',
      'зрозуміло, дякую|клас|класно|чудово|чудово, дякую|прекрасно|відмінно|файно|топ|бомба',
      'вогонь|згоден|згодна|повністю згоден|погоджуюсь|саме так|привіт всім|всім привіт|вітання',
      'доброго дня|добрий день|доброго ранку|добрий ранок|добрий вечір|здоровенькі були|хай',
      'як ви?|як діла?|як життя?|бувай|бувайте|па-па|до побачення|до зустрічі|на добраніч',
      'добраніч|гарного дня|гарних вихідних|гарного вечора|нема за що|нема за шо',
      'немає за що|звертайтесь|вибачте|перепрошую|сорі|цікаво|дуже цікаво|корисно|дуже корисно',
      'молодці|красунчики|браво|слава Україні|Слава Україні!|Героям слава!|шкода|зроблено',
      'домовились|бажаю гарного дня',
    ),
  },
  japanese: {
    council: said(
      'なんで|税金は|それで|どれがいい|失敗したら|短くして|本当|例えば|ありがとう、でもどれ|わからない|まとめて|どうすればいい|他には|根拠は',
    ),
    nobody: said(
      'ありがとうです|あざす|あざっす|あざます|あざーす|あざまる|サンクス|さんきゅー|さんくす|誠にありがとうございます|ご丁寧にありがとうございます',
      'ご丁寧な回答ありがとうございます|返信ありがとう|教えてくれてありがとう|教えていただきありがとうございます|とても参考になりました|すごく参考になりました|めっちゃ助かる',
      'めちゃくちゃ助かりました|り|りょうかいです|承知いたしました|承知致しました|なるほどです|そっか|そっかー|そうですよね|わかる|わかりみ|納得しました|完璧です|完璧',
      'すげー|すげえ|やばい|ヤバい|良いですね|ナイス|ないす|GJ|おもしろい|草生える|こんちは|おはよー|おはです|おつかれさまです|おつ|乙|乙です|初めまして',
      'よろしくです|よろしくお願いいたします|宜しくお願いします|元気？|調子どう？|またね|じゃあね|ではまた|バイバイ|ばいばい|さようなら|失礼いたします|とんでもないです',
      '申し訳ありません|いいえ、結構です|おkです|オッケーです|神|神です|賢者の皆さんありがとうございます',
    ),
  },
  korean: {
    council: said(
      '왜|세금은|그래서|어느 쪽|실패하면|짧게|정말|예를 들면|감사합니다 근데 어느거|아니|모르겠어|요약해줘|어떡하지|다른건|근거는',
    ),
    nobody: said(
      '감사함다|감사해용|감사요|감사여|ㄱㅅㄱㅅ|ㄳㄳ|땡큐|땡스|고마워용|고맙다|진짜 감사합니다|대단히 감사합니다|도와주셔서 감사합니다|알려주셔서 감사합니다',
      '답변해주셔서 감사합니다|친절한 답변 감사합니다|넵넵|네넵|넴|옙|ㅇㅋㅇㅋ|오키오키|오케|옥케이|알겠어|알았어|알았어요|이해했습니다|이해했어요|이해됐어요|아하',
      '아하!|아하 감사합니다|아 그렇구나|그렇구나|아하 그렇군요|그러네요|맞아|맞네|ㅇㅈ|인정|ㄹㅇ|레알|동의|공감|완전 공감|좋아|좋습니다|좋네|좋다|굿굿|나이스',
      '쩐다|쩌네|최고에요|짱|짱이다|짱이에요|멋지다|멋져요|훌륭합니다|완벽해요|완벽|안녕하십니까|안뇽|하이|하이요|ㅎㅇ|반가워요|반갑습니다|좋은 하루 되세요',
      '좋은 하루 보내세요|좋은 주말 보내세요|주말 잘 보내세요|고생하셨습니다|수고요|ㅅㄱ|잘 지내?|별일 없죠?|안녕히 계세요|안녕히 가세요|잘가|잘자|잘자요',
      '안녕히 주무세요|내일 봐요|나중에 봐요|또 봐요|빠이|ㅂㅂ|ㅂㅇ|천만에요|별말씀을요|괜찮아요|괜찮습니다|죄송해요|미안|미안해요|확인했어요|참고할게요',
      '참고하겠습니다|도움됐어요|도움 됐습니다|많은 도움이 됐어요|아니요 괜찮아요|아뇨 괜찮습니다|위원회 감사합니다|수고많으셨습니다|유익하네요|재밌네요|재밌다',
      '신기하네요',
    ),
  },
  chinese: {
    council: said(
      '为什么|税呢|然后呢|哪个好|失败了怎么办|短一点|真的|举例|谢谢，但哪个|不|不懂|总结一下|怎么办|还有吗|依据呢',
    ),
    nobody: said(
      '谢啦|谢了|谢谢啦|谢谢啊|多谢啦|谢谢大佬|谢谢各位|谢谢各位大佬|感谢各位|感谢分享|感谢解答|感谢您的回答|谢谢你们|谢谢你的回答|谢谢您的帮助|谢谢帮助|3q|3Q',
      '万分感谢|十分感谢|太感谢了|太谢谢了|辛苦|好的呢|好哒|好滴|好嘞|好吧|好呀|好啊|OKK|okok|ok的|OK的|嗯呢|恩|恩恩|哦|哦哦|喔|噢|哦好的|哦哦好的',
      '哦这样|这样啊|原来这样|明白啦|懂|知道啦|了解了|晓得了|get到了|get了|行吧|行的|没毛病|对的|是啊|确实是|确实如此|的确|赞同|赞成|附议|说得好|很有道理',
      '讲得好|牛啊|nb|NB|666|6666|厉害了|太强了|强|太牛了|绝了|优秀|完美|棒|很棒|很好|非常好|挺好|挺好的|点赞|给力|有用|很有用|学习了|受教了',
      '涨知识了|嘻嘻|笑哭|xswl|早啊|上午好|中午好|下午好|各位好|你好啊|你们好|嗨|哈喽|在吗|在吗？|在不在|吃了吗|吃了吗？|最近怎么样|最近怎么样？|886|回见',
      '明天见|回头见|下次见|晚点聊|不谢|客气了|应该的|对不起|打扰了|麻烦了|麻烦大家了|不用了|不用了谢谢|不用谢|不了谢谢|谢谢智者|谢谢智囊团',
    ),
  },
  arabic: {
    council: said(
      'ليش|ليه|والضرائب|وبعدين|ايهم احسن|ولو فشل|اختصر|متأكد؟|مثال|شكرا بس ايهم|ما فهمت|لخص',
      'شو اعمل|والدليل؟',
    ),
    nobody: said(
      'شكراا|شكرا كتير|شكرا كثير|الف شكر|ألف شكر|شكر|مشكورة|مشكور يا غالي|تسلموا|تسلم ايدك',
      'يسلمو|يسلموا|الله يبارك فيك|ربنا يخليك|الله يخليك|ما قصرت|ما قصرتوا|ممتن لكم|ميرسي|مرسي',
      'ثانكس|اوك|أوك|اوكيه|تمام التمام|تمام يا باشا|تمم|ماشي|ماشي شكرا|ماشي الحال|خلاص',
      'خلاص شكرا|فهمت عليك|مفهوم|واضح|واضح شكرا|وصلت|وصلت الفكرة|عظيم|رائعة|حلو|حلو كتير|جامد',
      'ما شاء الله|ماشاء الله|سبحان الله|الحمد لله|ان شاء الله|إن شاء الله|انشالله|احسنت|أحسنت',
      'أحسنتم|برافو|كفو|صحيح|متفق|موافق|أوافق|اتفق معك|لول|السلام عليكم ورحمة الله',
      'السلام عليكم ورحمة الله وبركاته|وعليكم السلام ورحمة الله|مرحبا بالجميع|مرحبتين|هلا',
      'هلا والله|هلا وغلا|اهلين|أهلين|اهلا بكم|هاي|هاي شباب|صباح الورد|كيفك؟|كيفكم|شلونك؟',
      'شلونكم|شخباركم|ازيك|ازيكم؟|عامل ايه|عاملين ايه؟|شو الاخبار|مع السلامة|باي|الى اللقاء',
      'إلى اللقاء|تصبح على خير|تصبحون على خير|في أمان الله|يوم سعيد|نهارك سعيد|عفوا|العفو|عفوًا',
      'ولا يهمك|اسف|آسف|معلش|المعذرة|شكرا للمجلس|شكرا يا حكماء|معلومة مفيدة|مفيد جدا',
    ),
  },
  hindi: {
    council: said(
      'क्यों|kyu|kyun|tax ka kya|फिर|phir kya|kaunsa|कौन सा|agar fail ho gaya|chhota karo',
      'sach me?|example do|thanks lekin kaunsa|samajh nahi aaya|sahi nahi|सही नहीं|summarize karo|kya karu',
    ),
    nobody: said(
      'आप सभी का धन्यवाद|सभी को धन्यवाद|जवाब देने के लिए धन्यवाद|थैंक्स|थैंक यू|थैंक्यू',
      'dhanyawad|dhanyvad|thanks bhai|thank you bhai|thanks yaar|thx bhai|thanku|thankyou ji',
      'thnks|ok ji|ok bhai|thik h|tik hai|theek hai bhai|बिलकुल|सही|सही है|sahi|sahi hai',
      'sahi hai bhai|sahi baat|सही बात है|sahi bola|badiya|bahut badiya|बहुत अच्छे|bahut ache',
      'मस्त|mast|mast hai|ekdum mast|zabardast|ज़बरदस्त|जबरदस्त|शानदार|shandar|वाह|wah|waah',
      'wah bhai|kya baat hai|क्या बात है|समझ गयी|समझ में आ गया|samjh gaya|samajh aa gaya',
      'samaj gaya|smjh gya|got it bhai|नमस्ते सभी को|namaste ji|pranam|राम राम|ram ram',
      'jai shri ram|जय हिंद|jai hind|हैलो|हेलो|हाय|hello ji|hello bhai|hi bhai|hey bhai',
      'suprabhat|शुभ प्रभात|शुभ रात्रि|शुभ संध्या|good morning ji|कैसे हो?|कैसे हैं आप?|कैसे हो',
      'kaise ho|kaise ho?|kya haal hai|kya haal hai?|क्या हाल है|kaise hain aap|sab badhiya?',
      'अलविदा|फिर मिलेंगे|phir milenge|bye bhai|चलो ठीक है|chalo thik hai|chal thik hai',
      'कोई बात नहीं|koi baat nahi|koi nahi|माफ़ करना|माफ कीजिए|sorry bhai|maaf karna',
      'आपका स्वागत है|स्वागत है|शुभकामनाएं|बधाई|बधाई हो|जय हो|परिषद का धन्यवाद',
      'ज्ञानियों का धन्यवाद',
    ),
  },
};
