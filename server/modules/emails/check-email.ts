import { DAY_MS } from '../../platform/durations.ts'
import { writtenBytes } from '../../platform/json/written-bytes.ts'
import { composeMessage, DraftError, type Mailbox } from '../../platform/mail/compose-message.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import type { Attachment } from '../../platform/mail/mime-parts.ts'
import type { FieldError } from '../../platform/problem.ts'
import { toUtc } from '../../platform/rfc3339.ts'
import { normaliseText } from '../contacts/aliases.ts'
import type { NewEmail } from './queue-emails.ts'
import { type EmailBody, RECIPIENTS_MAX } from './schemas.ts'

const VARIABLES_BYTES_MAX = 64 * 1024
const METADATA_BYTES_MAX = 4 * 1024
const SCHEDULED_AHEAD_DAYS_MAX = 365
/** `Ada <ada@example.com>`, the name in quotes or not. */
const NAMED = /^(?:"([^"]*)"\s*|([^<>"]*))<([^<>]+)>$/

/** `rule` faults break a rule of the domain (422), `shape` faults the form (400). */
export type EmailFault = FieldError & { kind: 'shape' | 'rule' }

/** An email whose form is right; the template's version and the contact are still to be found. */
export type CheckedEmail = Omit<NewEmail, 'template' | 'contactId'> & {
  templateId: string | null
  templateKey: string | null
}

type Report = (pointer: string, detail: string, kind?: EmailFault['kind']) => void

/** Checks and normalises one email whose form fits the schema `EmailBody`; pointers are relative to it. */
export function checkEmail(body: EmailBody, now: Date): { email: CheckedEmail } | { faults: EmailFault[] } {
  const faults: EmailFault[] = []
  const report: Report = (pointer, detail, kind = 'shape') => faults.push({ pointer, detail, kind })
  const cc = mailboxesOf(body.cc, '/cc', report)
  const bcc = mailboxesOf(body.bcc, '/bcc', report).map(({ address }) => address)
  const [first, ...furtherTo] = recipientsOf(body.destination, report)
  if (1 + furtherTo.length + cc.length + bcc.length > RECIPIENTS_MAX)
    report('/bcc', `makes more than ${RECIPIENTS_MAX} recipients`)
  const email: CheckedEmail = {
    destination: first!.address,
    destinationName: normaliseText(body.destinationName) ?? first!.name,
    furtherTo,
    ...contentOf(body, report),
    fromEmail: body.fromEmail ? addressOf(body.fromEmail, '/fromEmail', report) : null,
    fromName: normaliseText(body.fromName),
    cc,
    bcc,
    replyTo: mailboxesOf(body.replyTo, '/replyTo', report),
    headers: (body.headers ?? []).map(({ name, value }) => [name, value] as const),
    attachments: attachmentsOf(body, report),
    oneClickUrl: null,
    trackOpens: body.trackOpens ?? false,
    trackClicks: body.trackClicks ?? false,
    metadata: metadataOf(body, report),
    scheduledAt: body.scheduledAt ? dueAt(body.scheduledAt, now, report) : null,
  }
  if (faults.length === 0) composeFault(email, report)
  return faults.length === 0 ? { email } : { faults }
}

/** The first is the message's own; one address is taken as it always was, without a name in it. */
function recipientsOf(given: string | readonly string[], report: Report): Mailbox[] {
  if (typeof given !== 'string') return mailboxesOf(given, '/destination', report)
  return [{ address: addressOf(given, '/destination', report), name: null }]
}

function metadataOf({ metadata }: EmailBody, report: Report): string | null {
  if (!metadata || Object.keys(metadata).length === 0) return null
  const json = JSON.stringify(metadata)
  if (writtenBytes(json) > METADATA_BYTES_MAX) report('/metadata', `must have at most ${METADATA_BYTES_MAX / 1024} KiB`)
  return json
}

function contentOf(body: EmailBody, report: Report) {
  const [templateId, templateKey] = [body.templateId ?? null, body.templateKey ?? null]
  const [subject, html, text] = [body.subject ?? null, body.html || null, body.text || null]
  if (templateId !== null && templateKey !== null) report('/templateKey', 'must not come with a templateId')
  if (templateId === null && templateKey === null) {
    if (subject === null) report('/subject', 'is needed without a template')
    if (html === null && text === null) report('/html', 'or /text is needed without a template')
  } else {
    for (const field of ['subject', 'html', 'text'] as const)
      if (body[field] !== undefined && body[field] !== null) report(`/${field}`, 'must not come with a template')
  }
  const variables = body.variables ? JSON.stringify(body.variables) : null
  if (variables !== null && writtenBytes(variables) > VARIABLES_BYTES_MAX)
    report('/variables', `must have at most ${VARIABLES_BYTES_MAX / 1024} KiB`)
  const own = { subject, html, text }
  return { templateId, templateKey, ...own, variables: liquidOf(body, { own, variables }, report) }
}

type OwnContent = { subject: string | null; html: string | null; text: string | null }

/** JSON of the variables that Liquid is applied to content of its own with; null: it goes out as it is. */
function liquidOf(
  { liquid }: EmailBody,
  { own, variables }: { own: OwnContent; variables: string | null },
  report: Report,
): string | null {
  if (own.subject === null) {
    if (liquid != null) report('/liquid', 'is for content of its own: a template always has Liquid applied to it')
    return variables
  }
  if (liquid === true) return variables ?? '{}'
  if (liquid === false) {
    if (variables !== null) report('/variables', 'must not come with liquid false')
    return null
  }
  if (variables === null)
    for (const field of ['subject', 'html', 'text'] as const)
      if (/\{[{%]/.test(own[field] ?? ''))
        report(
          `/${field}`,
          'has Liquid in it: give variables or "liquid": true to apply it, "liquid": false to send it as it is',
        )
  return variables
}

function addressOf(given: string, pointer: string, report: Report): string {
  const address = normaliseEmail(given)
  if (address === undefined) report(pointer, `must be an email address${nameHint(given, pointer)}`)
  return address ?? ''
}

/** Fields for the names of addresses that stand alone; other services take both in one text. */
const NAME_FIELDS: Readonly<Record<string, string>> = { '/destination': 'destinationName', '/fromEmail': 'fromName' }

function nameHint(given: string, pointer: string): string {
  const field = NAME_FIELDS[pointer]
  return field !== undefined && NAMED.test(given.trim()) ? `: the name beside it is ${field}` : ''
}

function mailboxesOf(given: readonly string[] | null | undefined, pointer: string, report: Report): Mailbox[] {
  return (given ?? []).map((text, index) => {
    const [, quoted, plain, inner] = NAMED.exec(text.trim()) ?? []
    return {
      address: addressOf(inner ?? text, `${pointer}/${index}`, report),
      name: normaliseText(quoted ?? plain),
    }
  })
}

function attachmentsOf(body: EmailBody, report: Report): Attachment[] {
  const ids = new Set<string>()
  return (body.attachments ?? []).map(({ fileName, contentType, content, contentId }, index) => {
    const at = `/attachments/${index}`
    const bytes = bytesOf(content)
    if (bytes === undefined) report(`${at}/content`, 'must be base64')
    if (contentId) {
      if (ids.has(contentId)) report(`${at}/contentId`, 'is that of another attachment')
      ids.add(contentId)
    }
    return {
      fileName,
      contentType,
      content: bytes ?? Buffer.alloc(0),
      ...(contentId ? { contentId } : {}),
    }
  })
}

/** Base64, in lines or not. Written back and compared: seven times as fast as a pattern over a megabyte. */
function bytesOf(base64: string): Buffer | undefined {
  const text = base64.replaceAll(/\s/g, '')
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

function dueAt(given: string, now: Date, report: Report): string | null {
  const aheadMs = Date.parse(given) - now.getTime()
  if (aheadMs <= 0) report('/scheduledAt', 'must be in the future', 'rule')
  if (aheadMs > SCHEDULED_AHEAD_DAYS_MAX * DAY_MS)
    report('/scheduledAt', `must be at most ${SCHEDULED_AHEAD_DAYS_MAX} days ahead`, 'rule')
  return toUtc(given) ?? null
}

/** Faults for which `composeMessage` would refuse the message when it is sent, reported now. */
function composeFault(email: CheckedEmail, report: Report): void {
  const { destination, destinationName, furtherTo, fromEmail, fromName, cc, bcc, replyTo, headers } = email
  const mailbox = (address: string) => ({ address, name: null })
  try {
    composeMessage({
      messageId: '1@example.com',
      date: new Date(0),
      from: { address: fromEmail ?? 'from@example.com', name: fromName },
      to: [{ address: destination, name: destinationName }, ...furtherTo],
      cc: [...cc, ...bcc.map(mailbox)],
      replyTo,
      subject: '',
      html: null,
      text: '',
      headers,
      attachments: email.attachments.map((attachment) => ({ ...attachment, content: Buffer.alloc(0) })),
    })
  } catch (error) {
    if (!(error instanceof DraftError)) throw error
    report(`/${FIELDS[error.field] ?? error.field}`, error.message.slice(error.field.length + 1))
  }
}

/** Where the draft has another name for it than the body. */
const FIELDS: Readonly<Record<string, string>> = { from: 'fromEmail', to: 'destination' }
