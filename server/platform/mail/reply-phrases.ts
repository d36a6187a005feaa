/**
 * Words in which mail systems refuse, by what they mean and by language. Sources of regular expressions over folded text
 * (`plainText`): lower case, without accents (ü is u, ß ss, ł l, й и), names and links taken out. Gaps are short, so that
 * two sentences are not read as one; `\b` is of Latin letters only.
 */

export const LANGUAGES = ['en', 'de', 'es', 'fr', 'pt', 'it', 'nl', 'pl', 'ru', 'ja'] as const
type Language = (typeof LANGUAGES)[number]

export const MEANINGS = ['sender', 'full', 'large', 'domain', 'person', 'closed', 'host'] as const
/**
 * `sender`: the sender, the way it sends, or what it sends is not wanted; `full`, `closed`, `person`: the mailbox, or that
 * there is none; `large`: the message; `domain`: the name behind the @; `host`: nobody answered there for long enough.
 */
export type Meaning = (typeof MEANINGS)[number]

export const REPLY_PHRASES: Readonly<Record<Meaning, Readonly<Record<Language, readonly string[]>>>> = {
  sender: {
    en: [
      '\\bspam|\\bspf\\b|\\bdkim\\b|\\bdmarc\\b|\\b(?:black|block|deny)[ -]?list|\\bblocked\\b|\\b(?:rbl|dnsbl|dnsrbl)\\b',
      '\\breputation|\\bpolic(?:y|ies)\\b|\\bunsolicited|\\bbulk\\b|\\bjunk\\b|\\bunauthenticated|\\baccess denied|\\bbanned',
      '\\brelay|\\breverse dns|\\brdns\\b|\\bptr\\b|\\bhelo\\b|\\behlo\\b|\\bsender\\b|\\bfrom(?::| (?:address|domain|header))',
      '\\bnot (?:allowed|permitted|authori[sz]ed|accepted)\\b|\\bvirus|\\bmalware|\\bphish|\\bsuspicious|\\bcomplaint',
      '\\bcontent rejected|\\brcpthosts|\\bgr[ae]ylist|\\bclient host\\b|\\byour (?:host|reverse|ip)\\b',
    ],
    de: [
      '\\babsender|\\brichtlinie|\\bsperrliste|\\bschwarzen? liste|\\bunerwunscht|\\bnicht (?:erlaubt|berechtigt|zugelassen|autorisiert)',
    ],
    es: ['\\bremitente|\\bpoliticas?\\b|\\blistas? negras?|\\bno (?:esta )?(?:autorizad|permitid)|\\bno deseado'],
    fr: ['\\bexpediteur|\\bemetteur|\\bpolitiques?\\b|\\blistes? noires?|\\b(?:non|pas) autoris|\\bindesirable'],
    pt: ['\\bremetente|\\bpoliticas?\\b|\\bnao (?:autorizad|permitid)|\\bindesejad'],
    it: ['\\bmittente|\\bpolitich?[ae]\\b|\\blista nera|\\bnon (?:autorizzat|consentit|permess)|\\bindesiderat'],
    nl: ['\\bafzender|\\bbeleid|\\bzwarte lijst|\\bniet toegestaan|\\bongewenst'],
    pl: ['\\bnadawc|\\bpolityk|\\bczarn(?:a|ej) li[s]|\\bniedozwolon|\\bniepozadan|\\bzabronion'],
    ru: ['отправител|политик|черн\\S{1,4} спис|запрещен|нежелательн|спам'],
    ja: ['送信者|差出人|ポリシー|ブラックリスト|迷惑メール|許可されてい|拒否設定|受信拒否|スパム|フィルタ'],
  },
  full: {
    en: [
      '\\b(?:mailbox|inbox|account|(?:mail)?folder|user)\\b.{0,30}\\bfull\\b|\\bquota\\b|\\bover (?:the )?(?:storage|limit)',
      '\\b(?:exceeded|insufficient|not enough|no)\\b.{0,30}\\b(?:storage|disk|space)|\\breceiving mail (?:at a rate|too quickly)',
      "\\bmessages in (?:the )?recipient's mailbox exceed|\\bmailbox (?:has )?exceed|\\btoo many messages in (?:the |this |your )?mailbox",
    ],
    de: [
      '\\b(?:postfach|mailbox|speicher\\w{0,10}|briefkasten|kontingent)\\b.{0,40}\\b(?:voll\\b|uberfullt|uberschritten|erschopft)',
    ],
    es: ['\\b(?:buzon|casilla|cuenta|cuota|espacio)\\b.{0,40}\\b(?:llen[oa]|excedid|superad|sobrepas|agotad)'],
    fr: ['\\b(?:boite|messagerie|quota|espace)\\b.{0,50}\\b(?:pleine?|depasse|sature|insuffisant)'],
    pt: ['\\b(?:caixa|[qc]uota|cota|espaco)\\b.{0,40}\\b(?:chei[ao]|excedid|esgotad|lotad)'],
    it: ['\\b(?:casella|quota|spazio)\\b.{0,40}\\b(?:pien[ao]|superat|esaurit)'],
    nl: ['\\b(?:postbus|mailbox|postvak|quota|opslag\\w{0,10})\\b.{0,40}\\b(?:vol\\b|overschreden)'],
    pl: ['\\b(?:skrzynk[aiu]|limit|pojemnosc)\\b.{0,40}\\b(?:peln[aey]|przepelnion|przekrocz|zapelnion)'],
    ru: ['(?:ящик|квот|места).{0,40}(?:переполн|заполн|превыш|полон|закончил)'],
    ja: ['(?:メールボックス|受信箱|容量|ボックス).{0,20}(?:一杯|いっぱい|満杯|超え|超過|オーバー)'],
  },
  large: {
    en: [
      '\\btoo (?:large|big)|\\b(?:message|maximum|max|fixed|size)\\b.{0,30}\\b(?:size|limit)|\\bexceeds?\\b.{0,30}\\bsize',
    ],
    de: ['\\b(?:nachricht|e-?mail|anhang)\\b.{0,30}\\bzu gross|\\b(?:maximale|zulassige) grosse'],
    es: ['\\bdemasiado grande|\\btamano (?:maximo|del mensaje)'],
    fr: ['\\btrop (?:gros|volumineux|grand)|\\btaille (?:maximale|du message)'],
    pt: ['\\b(?:muito|demasiado) grande|\\btamanho (?:maximo|da mensagem)'],
    it: ['\\btroppo grande|\\bdimension[ei] (?:massim|del messaggio)'],
    nl: ['\\b(?:bericht|e-?mail)\\b.{0,20}\\bte groot|\\bmaximale grootte'],
    pl: ['\\b(?:za|zbyt) duz'],
    ru: ['слишком больш|превышает.{0,30}размер|размер.{0,20}превыш'],
    ja: ['サイズ.{0,20}(?:超え|超過|大きすぎ|オーバー)'],
  },
  domain: {
    en: [
      '\\b(?:host|domain)(?: name| or domain name)?\\b.{0,60}\\b(?:not found\\b(?!,? try)|unknown|(?:does not|doesn.t) exist|not exist|invalid|nxdomain)',
      '\\bcould not find a gateway for',
      '\\b(?:no such|unknown|invalid|non-?existent|bad) (?:host|domain)|\\bunroute?able|\\bnull ?mx\\b|\\bno mx record|\\bnxdomain\\b',
      '\\b(?:couldn.t|could not|cannot|can.t|unable to) (?:find|locate|resolve) (?:any )?.{0,20}\\b(?:domain|mail exchanger|mx|host named)',
      '^\\W{0,4}[\\w.-]{1,80}\\.[a-z]{2,20} does not exist\\b|\\bindicated no smtp service|\\b(?:domain|host)\\b.{0,60}\\bdoes not (?:accept|receive) (?:any )?(?:e-?)?mail\\b(?! from)|\\bdomain is not reachable|\\bmessage could not be delivered because the destination .{0,20}dns',
    ],
    de: [
      '\\b(?:domain|domane|host|rechner)\\b.{0,40}\\b(?:nicht gefunden|unbekannt|existiert nicht|nicht vorhanden)|\\bunbekannter (?:host|rechner)|\\bunbekannte (?:domain|domane)',
    ],
    es: ['\\bdominio\\b.{0,40}\\b(?:no existe|desconocid|inexistente|no (?:se )?(?:ha )?encontr|no valid|invalid)'],
    fr: ['\\bdomaine\\b.{0,40}\\b(?:inconnu|n.existe pas|introuvable|inexistant|invalide)'],
    pt: ['\\bdominio\\b.{0,40}\\b(?:nao existe|desconhecid|inexistente|nao (?:foi )?encontrad|invalid)'],
    it: ['\\bdominio\\b.{0,40}\\b(?:non esiste|sconosciut|inesistente|non trovat|non valid)'],
    nl: ['\\bdomein(?:naam)?\\b.{0,40}\\b(?:bestaat niet|onbekend|niet gevonden|ongeldig)'],
    pl: ['\\bdomen\\w{1,2}\\b.{0,40}\\b(?:nie istnieje|nieznan|nie (?:zosta\\w{1,3} )?znalezion|nieprawidlow)'],
    ru: ['домен.{0,40}(?:не существует|не наиден|неизвест)|несуществующ\\S{2} домен'],
    ja: ['ドメイン.{0,20}(?:存在しませ|存在しない|見つかりませ|不明|ありませ)'],
  },
  person: {
    en: [
      '\\b(?:user|mailbox|recipient|address|addressee|account|person|customer|local.?part)\\b.{0,40}\\b(?:unknown|not found|not exist|n.t exist|no longer|invalid|not (?:a )?valid|not listed|undeliverable|unroutable|unrouteable|not recogni[sz]ed|not a registered|not registered)',
      '\\b(?:unknown|invalid|no such|nonexistent|non-existent|no valid|bad|undeliverable|unroutable|unrouteable)\\b.{0,12}\\b(?:user|mailbox|recipient|destination|address|addressee|account|person|customer|local.?part|rcpt)',
      '\\bnot a valid (?:user|mailbox|recipient|address)|\\bno mailbox\\b|\\bno (?:user|one|body) (?:by|with|here|of)|\\bdoes(?:n.t| not) have an? .{0,20}account',
      '\\bnot (?:our customer|known here|known at this site)|\\bno account\\b|\\bnot listed in (?:the |our )?(?:\\w{1,20} )?(?:directory|address book)|\\binvalid final delivery|^\\W{0,4}(?:#?5\\.1\\.0 )?address rejected\\b|\\brecipient (?:name )?(?:is )?not (?:found|recogni[sz]ed)|\\brecipnotfound|\\bhas moved\\b|\\b(?:unable to|cannot|could not|can.t) (?:find|locate|identify) (?:the |a |any )?(?:user|recipient|mailbox|account)\\b',
    ],
    de: [
      '\\b(?:empfanger\\w{0,10}|benutzer\\w{0,6}|adressat|\\w{0,12}adresse|postfach|mailbox|konto|nutzer|teilnehmer)\\b.{0,50}\\b(?:unbekannt|nicht (?:gefunden|bekannt|vorhanden|existent|zustellbar|verzeichnet)|existiert nicht|ungultig|gibt es nicht)',
      '\\b(?:unbekannte[rs]?|ungultige[rs]?|kein solche[rs]?|kein) (?:empfanger|benutzer|postfach|adresse|konto|nutzer|e-?mail-?adresse)',
    ],
    es: [
      '\\b(?:usuario|destinatario|buzon|direccion|cuenta|casilla)\\b.{0,50}\\b(?:desconocid|no existe|inexistente|no (?:se )?(?:ha |fue |pudo ser )?encontr|no (?:es )?valid|invalid)',
      '\\bno existe (?:el |la |ese |este |tal |un |ningun )?(?:usuario|destinatario|buzon|direccion|cuenta|casilla)',
    ],
    fr: [
      '\\b(?:utilisateur|destinataire|boite|adresse|compte|correspondant)\\b.{0,50}\\b(?:inconnue?|n.existe (?:pas|plus)|inexistante?|introuvable|(?:non |pas )?[iv](?:nvalide|alide)|pas (?:ete )?trouve)',
      '\\b(?:aucun|pas d.)\\s?(?:utilisateur|compte|destinataire|boite)',
    ],
    pt: [
      '\\b(?:usuario|destinatario|endereco|caixa(?: postal| de correio)?|conta|utilizador)\\b.{0,50}\\b(?:desconhecid|nao existe|inexistente|invalid|nao (?:foi )?(?:encontrad|localizad)|nao e valid)',
    ],
    it: [
      '\\b(?:utente|destinatario|indirizzo|casella|account|mailbox)\\b.{0,50}\\b(?:sconosciut|non esiste|inesistente|non (?:e (?:stato )?)?trovat|non (?:e )?valid|invalid)',
    ],
    nl: [
      '\\b(?:gebruiker|ontvanger|geadresseerde|\\w{0,10}adres|postbus|mailbox|account)\\b.{0,50}\\b(?:onbekend|bestaat niet|niet (?:gevonden|bekend|geldig)|ongeldig)',
      '\\b(?:onbekende|ongeldige?) (?:gebruiker|ontvanger|geadresseerde|adres|e-?mailadres)',
    ],
    pl: [
      '\\b(?:uzytkownik\\w{0,3}|odbiorc\\w{1,2}|adres(?:at)?\\w{0,3}|skrzynk\\w{1,2}|kont[oa])\\b.{0,50}\\b(?:nieznan|nie istnieje|nie (?:zosta\\w{1,3} )?znalezion|nieprawidlow|niepoprawn)',
      '\\b(?:nie ma|brak|nieznan\\w{1,3}) (?:takiego |takiej )?(?:uzytkownik|odbiorc|kont|skrzynk|adres)',
    ],
    ru: [
      '(?:пользовател|получател|адрес|ящик|учетн).{0,50}(?:не существует|не наиден|неизвест|недеиствител|неверн|не зарегистрирован|отсутствует)',
      '(?:нет такого|нет такои|неизвестн\\S{2,3}|несуществующ\\S{2,3}) (?:пользовател|получател|адрес|ящик|учетн)',
    ],
    ja: [
      '(?:ユーザ|宛先|あて先|アドレス|受信者|メールボックス|宛名).{0,30}(?:見つかりませ|見つからない|存在しませ|存在しない|不明|ありませ|誤り|間違|登録されていませ|見当たりませ)',
      'アドレスが無効|無効な(?:メール)?アドレス|ディレクトリ.{0,12}(?:見つかりませ|ありませ)',
    ],
  },
  closed: {
    en: [
      '\\b(?:user|mailbox|recipient|account|address)\\b.{0,30}\\b(?:disabled|inactive|not active|suspended|deactivated|locked|closed|unavailable|expired|discontinued|frozen|terminated|archived|hibernated)',
      '\\b(?:disabled|inactive|frozen|suspended|archived) (?:user|mailbox|recipient|account|address)|\\brecipient address rejected\\b|^\\W{0,4}(?:frozen|disabled|suspended)\\b',
    ],
    de: [
      '\\b(?:postfach|konto|\\w{0,12}adresse|benutzer\\w{0,6}|empfanger)\\b.{0,40}\\b(?:deaktiviert|gesperrt|geschlossen|stillgelegt|inaktiv|nicht (?:mehr )?(?:aktiv|verfugbar))',
    ],
    es: [
      '\\b(?:cuenta|buzon|usuario|casilla|destinatario)\\b.{0,40}\\b(?:desactivad|deshabilitad|inhabilitad|inactiv|suspendid|bloquead|cancelad|cerrad)',
    ],
    fr: [
      '\\b(?:compte|boite|utilisateur|adresse|destinataire)\\b.{0,40}\\b(?:desactive|inacti[fv]|suspendu|bloque|fermee?|archive|cloture|resilie)|\\bbloque\\b',
    ],
    pt: [
      '\\b(?:conta|caixa(?: postal)?|usuario|utilizador)\\b.{0,40}\\b(?:desac?tivad|inativ|suspens|bloquead|cancelad|encerrad)',
    ],
    it: [
      '\\b(?:casella|account|utente|indirizzo)\\b.{0,40}\\b(?:disattivat|disabilitat|inattiv|sospes|bloccat|chius|cessat)',
    ],
    nl: [
      '\\b(?:account|postbus|mailbox|gebruiker)\\b.{0,40}\\b(?:uitgeschakeld|gedeactiveerd|inactief|geblokkeerd|opgeschort|gesloten|opgeheven)',
    ],
    pl: ['\\b(?:konto|skrzynka|uzytkownik)\\b.{0,40}\\b(?:zablokowan|nieaktywn|wylaczon|zawieszon|dezaktywowan)'],
    ru: ['(?:ящик|аккаунт|пользовател|учетная запись).{0,40}(?:заблокирован|отключен|неактив|приостановлен|удален)'],
    ja: ['(?:アカウント|メールボックス|ユーザ|アドレス).{0,20}(?:停止|無効|凍結|休止|利用できませ)'],
  },
  host: {
    en: [
      '\\b(?:retry|delivery|connection|session|operation|conversation)\\b.{0,30}\\btim(?:e|ed)[ -]?out|\\btime-?out exceeded|\\b(?:envelope|message) expired|\\bconnection (?:refused|reset|lost|dropped|failure|died)',
      '\\b(?:all hosts|all relevant mx).{0,80}\\b(?:failing|unreachable|down)|\\bcould not deliver for the last|\\bdid not accept our requests to connect|\\bnetwork (?:error|is unreachable)|\\bno route to host|\\bnot responding',
      '\\bhost not found,? try again|\\bfail(?:ed|ing) (?:for|after|\\d{1,4} attempts)|\\bunable to contact|\\b(?:wasn.t|was not|weren.t|not) able to establish|\\bin the queue too long|\\bdelivery time (?:expired|exceeded)|\\bmaximum hop count|\\btoo many hops|\\bmail loop',
      '\\bgave up|\\bcould not (?:connect|be reached|reach)|\\bunable to (?:connect|reach)|\\bwas not delivered within|\\bundeliverable for|\\bdeferred\\b',
    ],
    de: ['\\bzeituberschreitung|\\bnicht erreichbar|\\bkeine verbindung'],
    es: ['\\btiempo de espera|\\bno (?:se )?pudo conectar|\\bconexion rechazada'],
    fr: ['\\bdelai (?:depasse|expire)|\\binjoignable|\\bconnexion (?:refusee|impossible)'],
    pt: ['\\btempo (?:limite|esgotado)|\\bnao foi possivel conectar'],
    it: ['\\btempo scaduto|\\bimpossibile (?:connettersi|raggiungere)'],
    nl: ['\\bniet bereikbaar|\\bgeen verbinding'],
    pl: ['\\bprzekroczono (?:limit )?czas|\\bbrak polaczenia'],
    ru: ['истекло время|время ожидания|не отвечает|недоступен'],
    ja: ['タイムアウト|応答していませ|応答がありませ|接続できませ'],
  },
}
