import type { SmtpReply } from '../classify-reply.ts'
import { type Fields, firstOf, readFieldGroups } from '../field-groups.ts'
import { readDiagnostic, readStatus } from '../read-diagnostic.ts'
import { addressIn } from './address-in.ts'
import type { DeliveryStatus } from './delivery-status.ts'
import { hasCode, replyInText } from './reply-in-text.ts'

const RECIPIENTS_MAX = 100
const RECIPIENT_FIELDS = ['final-recipient', 'original-recipient', 'action', 'status', 'diagnostic-code']
/** Names that systems give these fields where they write them for people (Oracle, Amazon WorkMail). */
const SYNONYMS: Readonly<Record<string, string>> = {
  'recipient address': 'final-recipient',
  'diagnostic code': 'diagnostic-code',
  'original address': 'original-recipient',
}
const SYNONYM = new RegExp(`^[ \\t]{0,20}(${Object.keys(SYNONYMS).join('|')})[ \\t]{0,20}:`, 'gim')
/** A field that is set in, as a text for people has it. */
const INDENTED = /^[ \t]{1,20}(?=(?:final-recipient|original-recipient|action|status|diagnostic-code):)/gim

/** Recipients in the groups of a `message/delivery-status` (RFC 3464 section 2.3), also where they are badly separated. */
export function readStatusFields(text: string): DeliveryStatus[] {
  const groups = readFieldGroups(text, RECIPIENTS_MAX + 1).flatMap(splitGroup)
  return groups.filter(isOfRecipient).slice(0, RECIPIENTS_MAX).map(statusOf)
}

/** The same fields where they stand in a text, which is one only if a recipient and a status or a diagnostic are there. */
export function readStatusInText(text: string): DeliveryStatus[] {
  if (!/\b(?:final-recipient|recipient address) ?:/i.test(text)) return []
  const fields = text.replace(INDENTED, '').replace(SYNONYM, (_, name: string) => `${SYNONYMS[name.toLowerCase()]}:`)
  return readStatusFields(fields).filter(({ finalRecipient, reply }) => finalRecipient !== null && reply !== null)
}

function isOfRecipient(group: Fields): boolean {
  return RECIPIENT_FIELDS.some((name) => group.has(name))
}

/** A report whose recipients are not separated by empty lines: the values of each field in their order. */
function splitGroup(group: Fields): Fields[] {
  const count = group.get('final-recipient')?.length ?? 1
  if (count === 1) return [group]
  return Array.from({ length: Math.min(count, RECIPIENTS_MAX) }, (_, n) => {
    const fields = [...group].flatMap(([name, values]): [string, string[]][] =>
      values[n] === undefined ? [] : [[name, [values[n]]]],
    )
    return new Map(fields)
  })
}

const ACTIONS = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const
/** By so many letters they are told apart: some systems write `failure`. */
const ACTION_LETTERS = 4

function statusOf(group: Fields): DeliveryStatus {
  const word = firstOf(group, 'action')?.toLowerCase().slice(0, ACTION_LETTERS)
  const status = readStatus(firstOf(group, 'status'))
  const action = ACTIONS.find((one) => one.slice(0, ACTION_LETTERS) === word) ?? null
  const diagnostic = firstOf(group, 'diagnostic-code')
  const said = readDiagnostic(diagnostic, status)
  const reply = action === 'failed' && said && said.code < 400 ? refusalBehind(diagnostic ?? '', said) : said
  return {
    finalRecipient: addressIn(firstOf(group, 'final-recipient')),
    originalRecipient: addressIn(firstOf(group, 'original-recipient')),
    // A word that is none is mistyped: the status says what it meant.
    action: action ?? (reply && actionOfCode(reply.code)),
    reply,
  }
}

/** A session told of from its beginning, whose replies were good ones before the one that refused: `250-… 421 …`. */
function refusalBehind(diagnostic: string, said: SmtpReply): SmtpReply {
  const told = hasCode(diagnostic) ? replyInText(diagnostic) : null
  return told && told.code >= 400 ? told : { ...said, code: 550 }
}

function actionOfCode(code: number): DeliveryStatus['action'] {
  return code < 300 ? 'delivered' : code >= 500 ? 'failed' : 'delayed'
}
