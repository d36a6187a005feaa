import { classifyReply, type SmtpReply } from '../classify-reply.ts'
import { type Fields, firstOf } from '../field-groups.ts'
import { causeInText, plainText } from '../reply-texts.ts'
import { addressIn } from './address-in.ts'
import type { DeliveryStatus } from './delivery-status.ts'
import type { Notice } from './notice-text.ts'
import { addressesIn, type Listed, readListed } from './read-listed.ts'
import { hasCode, replyInText } from './reply-in-text.ts'

const RECIPIENTS_MAX = 100
const DELAYED =
  /\bdelayed\b|\bstill being (?:re)?tried\b|\bwill (?:continue|keep|be retried|retry|try again)\b|\bnot yet been delivered\b|\bcould not send message for past\b|\btemporary failure report\b|\bdo not need to re-?send\b|\bnot been delivered yet\b|\bdelivery attempts will continue\b/i
const ONLY_DELAYED =
  /\bwarning message only\b|\btemporary failure report\b|\b(?:has been|is) delayed\b|\bstill being retried\b|\bwarning: could not send\b|\bdo not need to re-?send\b/i
const GIVEN_UP =
  /\bgiv(?:en|ing) up\b|\bnot (?:be )?(?:going to )?(?:retr(?:y|ied)|try again)\b|\bpermanent(?:ly)?\b|\bundeliver|\bfail(?:ed|ure)\b|\breturned\b/i
const DELIVERED =
  /\b(?:was|were|been|is) (?:successfully )?(?:delivered|relayed)\b(?! to (?:one|the following))|\bsuccessful(?:ly)? (?:mail )?(?:deliver|relay)|\bdelivery confirmation\b/i
const NOT_DELIVERED = /\b(?:not|n't|never|cannot|unable|undeliver|fail)/i
const INTRODUCTION_CHARS = 1_500

/** Recipients and reasons in the words that a mail system wrote for people; none where those say nothing that can be read. */
export function readNotice(notice: Notice, header: Fields): DeliveryStatus[] {
  const action = actionOf(notice.text.slice(0, INTRODUCTION_CHARS), firstOf(header, 'subject') ?? '')
  const overall = telling(replyInText(notice.text), notice.text)
  const listed = readListed(notice)
  const own = listed.map(({ reply }) => reply && telling(reply, reply.text))
  // Words that stand with no recipient are about all of them, unless some have their own.
  const shared = own.every((reply) => reply === null) ? overall : null
  const isRead = overall !== null || own.some((reply) => reply !== null) || action !== 'failed'
  const failed = failedRecipients(header)
  // A field that is written for failures alone says so in any language; the words stay with it.
  if (!isRead) return failed.map((address) => statusOf(address, action, replyInText(notice.text)))
  if (listed.length === 1) return [statusOf(listed[0]!.address, action, better(own[0]!, overall))]
  if (listed.length > 1) return each(listed, (n) => own[n] ?? shared, action)
  if (failed.length > 0) return failed.map((address) => statusOf(address, action, overall))
  return [statusOf(namedRecipient(notice, header), action, overall)]
}

/** An address of which nothing is said, among others with their reasons, is no recipient: the sender, somebody to ask. */
function each(
  listed: readonly Listed[],
  replyOf: (n: number) => SmtpReply | null,
  action: DeliveryStatus['action'],
): DeliveryStatus[] {
  const told = listed.map(({ address }, n) => statusOf(address, action, replyOf(n)))
  const explained = told.filter(({ reply }) => reply !== null)
  return explained.length > 0 ? explained : told
}

function statusOf(
  finalRecipient: string | null,
  action: DeliveryStatus['action'],
  reply: SmtpReply | null,
): DeliveryStatus {
  return { finalRecipient, originalRecipient: null, action, reply }
}

/** A reply that says something: by a code, or in words that are known. */
function telling(reply: SmtpReply | null, text: string): SmtpReply | null {
  if (reply === null) return null
  return hasCode(text) || reply.enhanced !== null || causeInText(plainText(reply.text)) !== undefined ? reply : null
}

function better(own: SmtpReply | null, overall: SmtpReply | null): SmtpReply | null {
  if (own === null || overall === null) return own ?? overall
  const isPlain = own.enhanced === null && classifyReply(own) === 'policy'
  return isPlain && overall.enhanced !== null ? overall : own
}

/** Late is not lost, and a success is no failure; in doubt it failed. */
function actionOf(introduction: string, subject: string): 'failed' | 'delayed' | 'delivered' {
  if (ONLY_DELAYED.test(introduction) || DELAYED.test(subject)) return 'delayed'
  if (DELAYED.test(introduction) && !GIVEN_UP.test(subject) && !GIVEN_UP.test(introduction)) return 'delayed'
  const said = `${subject}\n${introduction}`
  return DELIVERED.test(said) && !NOT_DELIVERED.test(said) ? 'delivered' : 'failed'
}

/** The one that the returned message was for, if the notice names it, else the first that is not whom it is written to. */
function namedRecipient(notice: Notice, header: Fields): string | null {
  const readers = addressesOf(header, ['to'])
  const named = addressesIn(notice).filter((address) => !readers.includes(address))
  const meant = addressesOf(notice.original, ['to', 'x-envelope-to', 'envelope-to'])
  return named.find((address) => meant.includes(address)) ?? named[0] ?? null
}

function addressesOf(header: Fields | null, names: readonly string[]): string[] {
  return names.flatMap((name) => header?.get(name) ?? []).flatMap((value) => addressIn(value) ?? [])
}

/** Exim's own field, which Gmail, mail.ru and others write as well. */
function failedRecipients(header: Fields): string[] {
  const values = (header.get('x-failed-recipients') ?? []).flatMap((value) => value.split(',', RECIPIENTS_MAX))
  return [...new Set(values.flatMap((value) => addressIn(value) ?? []))].slice(0, RECIPIENTS_MAX)
}
