import { type Fields, firstOf } from '../field-groups.ts'

/**
 * The one who sent a mail: `system`, a mail system on its own behalf; `answer`, a person or a program that answers for one
 * (RFC 3834); `unknown`, anybody else.
 */
export type Speaker = 'system' | 'answer' | 'unknown'

/** Local parts under which mail systems write. */
const SYSTEM_MAILBOX =
  /^(?:mailer[-_. ]?daemon|mail[-_.]?daemon|maildaemon|mdaemon|daemon|mmdf|postmaster|post[-_.]master|mail[-_.]?(?:administrator|admin|master|system)|(?:mail|message)[-_.]?(?:delivery|transfer).{0,40}|microsoftexchange[0-9a-f]{16,40}|sysadmin|uucp)$/
const SYSTEM_NAME =
  /\bmail(?:er)?[ -](?:daemon|delivery|deliver|administrator|system)\b|\b(?:system administrator|postmaster|delivery subsystem|ndr administrator)\b/
/** Fields that only automatic answers have. */
const ANSWER_FIELDS = [
  'x-autoreply',
  'x-autorespond',
  'x-autoresponder',
  'x-auto-response',
  'x-vacation',
  'x-mail-autoreply',
]
const ANSWER_PRECEDENCE = /^auto[-_]?reply/i
/** Beginnings of the subjects of automatic answers, in the languages that mail programs write them in. */
const ANSWER_SUBJECT =
  /^\s*(?:re: )?(?:out of (?:the )?office|auto(?:matic|mated)?[- ]?(?:reply|response|respons|antwort|svar)|auto:|vacation|away (?:from|until)|abwesen|automatische (?:antwort|abwesen)|r[eé]ponse automatique|absen(?:ce|t)|respuesta autom|fuera de (?:la )?oficina|resposta autom|fora do escrit|risposta automatica|fuori (?:sede|ufficio)|automatisch antwoord|afwezig|autoodpowied|odpowied. automat|автоматический ответ|автоответ|自動応答|自動返信|不在)/i

const NULL_SENDER = /^(?:<>|<?mailer-daemon(?:@[^>\s]{0,255})?>?)?$/

/**
 * Says who sent a mail, by its header and the sender of its envelope (`undefined` where that is gone, and the header has
 * it). A forger of either can do no more than a mail server that we asked to deliver to.
 */
export function speakerOf(header: Fields, envelopeSender?: string): Speaker {
  const from = (firstOf(header, 'from') ?? '').slice(0, 400).toLowerCase()
  const sender = (envelopeSender ?? firstOf(header, 'return-path'))?.trim().toLowerCase()
  const isNull = sender !== undefined && NULL_SENDER.test(sender)
  if (SYSTEM_MAILBOX.test(localPartOf(from))) return 'system'
  if (SYSTEM_NAME.test(from) && (sender === undefined || isNull || SYSTEM_MAILBOX.test(localPartOf(sender))))
    return 'system'
  if (isAnswer(header)) return 'answer'
  return isNull ? 'system' : 'unknown'
}

function localPartOf(text: string): string {
  const address = /<([^<>]{0,320})>/.exec(text)?.[1] ?? text
  return address.trim().split('@', 1)[0] ?? ''
}

function isAnswer(header: Fields): boolean {
  const automatic = firstOf(header, 'auto-submitted')
  if (automatic !== null && /^\s*auto-replied\b/i.test(automatic)) return true
  if (ANSWER_FIELDS.some((name) => header.has(name))) return true
  if (ANSWER_PRECEDENCE.test(firstOf(header, 'precedence') ?? '')) return true
  return header.has('x-auto-response-suppress') || ANSWER_SUBJECT.test(plainSubject(header))
}

/** As far as it is not encoded (RFC 2047): a program that encodes says in its fields that it answers. */
function plainSubject(header: Fields): string {
  return (firstOf(header, 'subject') ?? '').slice(0, 200)
}
