import type pg from 'pg'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { wholeText } from '../../../platform/mail/mail-text.ts'
import type { CompiledTemplate, TemplateFault } from '../../templates/compile-template.ts'
import type { CompiledCache } from '../../templates/compiled-cache.ts'
import { lineFinder } from '../../templates/layout/source-lines.ts'
import { type MergeContact, mergeVariables } from '../../templates/merge-variables.ts'
import {
  RenderError,
  type RenderedFor,
  type RenderedTemplate,
  renderMail,
  renderTemplate,
} from '../../templates/render-template.ts'
import { sampleContact } from '../../templates/sample-contact.ts'
import { measuringLinks } from '../../tracking/message-links.ts'
import type { BroadcastContent } from '../queries.ts'
import { type MailSettings, mailSettingsOf } from '../source-queries.ts'
import { checkLinks } from './check-links.ts'
import type { Check } from './preflight-schemas.ts'
import { STRANGER } from './sample-person.ts'
import { spamPhrasesIn } from './spam-phrases.ts'

export type ContentDeps = { sql: pg.Pool; compiled: CompiledCache; baseUrl: URL }
type Content = Pick<BroadcastContent, 'subject' | 'body' | 'text'>
export type ContentReport = { checks: Check[]; htmlBytes: number | null; links: string[] }

/** Beyond this Gmail hides the end of a message, and with it the way out of it and the open pixel. */
const HTML_BYTES_CLIPPED = 102_000

/** As ids are after some years. */
const LONG_ID = '1000000000'

/** Stand-ins that a rendered message is searched for. */
const UNSUBSCRIBE_URL = 'https://unsubscribe.invalid/u'
const PREFERENCES_URL = 'https://unsubscribe.invalid/p'

/** Faults of a broadcast's content, the same for every recipient. Throws `CompilerBusyError`. */
export async function checkContent(
  deps: ContentDeps,
  { workspaceId, renderedFor }: { workspaceId: string; renderedFor: RenderedFor },
  content: Content,
): Promise<ContentReport> {
  const missing = missingParts(content)
  if (content.body.trim() === '') return { checks: missing, htmlBytes: null, links: [] }
  const compilation = await deps.compiled.compile({ subject: content.subject, body: content.body, text: content.text })
  if (compilation.outcome === 'faulty') {
    return { checks: [...missing, ...compilation.faults.map(faulty)], htmlBytes: null, links: [] }
  }
  if (missing.length > 0) return { checks: missing, htmlBytes: null, links: [] }
  const [settings, sample] = await Promise.all([
    inTransaction(deps.sql, workspaceId, (tx) => mailSettingsOf(tx, workspaceId)),
    sampleContact(deps.sql, workspaceId),
  ])
  const warnings = compilation.warnings.map(warned)
  const given = { postalAddress: settings.postalAddress, renderedFor }
  const rendered = await renderFor(compilation.template, sample, given)
  const toStranger = await renderFor(compilation.template, STRANGER, given)
  for (const one of [rendered, toStranger]) {
    if ('code' in one) return { checks: [one, ...warnings], htmlBytes: null, links: [] }
  }
  const whole = rendered as RenderedTemplate
  const htmlBytes = await bytesAsSent(deps, compilation.template, {
    workspaceId,
    person: sample,
    settings,
    renderedFor,
  })
  return {
    checks: [
      ...missingSubject(toStranger as RenderedTemplate),
      ...missingWayOut(whole),
      ...unknownNames(compilation.template, sample),
      ...checkLinks(compilation.template.links, content.body),
      ...missingPictures(content.body),
      ...mutePictures(content.body),
      ...tooLarge(htmlBytes),
      ...missingText(whole),
      ...spamPhrasesIn(whole),
      ...missingAddress(whole, settings.postalAddress),
      ...warnings,
    ],
    htmlBytes,
    links: [...new Set(whole.links)],
  }
}

async function renderFor(
  template: CompiledTemplate,
  person: MergeContact,
  { postalAddress, renderedFor }: { postalAddress: string | null; renderedFor: RenderedFor },
): Promise<RenderedTemplate | Check> {
  const variables = mergeVariables(person, {
    unsubscribeUrl: UNSUBSCRIBE_URL,
    preferencesUrl: PREFERENCES_URL,
    variables: { postal_address: postalAddress ?? '' },
  })
  try {
    return await renderTemplate(template, variables, renderedFor)
  } catch (error) {
    if (!(error instanceof RenderError)) throw error
    return check('error', 'render_failed', { field: error.field, detail: error.detail })
  }
}

type Where = { field: string | null; line?: number | null; detail: string }

export function check(severity: Check['severity'], code: Check['code'], { field, line = null, detail }: Where): Check {
  return { code, severity, field, line, detail }
}

function missingParts({ subject, body }: Content): Check[] {
  return [
    ...(subject.trim() === ''
      ? [check('error', 'subject_missing', { field: 'subject', detail: 'It has no subject.' })]
      : []),
    ...(body.trim() === '' ? [check('error', 'body_missing', { field: 'body', detail: 'It has no body.' })] : []),
  ]
}

const faulty = ({ field, line, detail }: TemplateFault) => check('error', 'content_faulty', { field, line, detail })
const warned = ({ field, line, detail }: TemplateFault) => check('warning', 'content_warning', { field, line, detail })

function missingSubject({ subject }: RenderedTemplate): Check[] {
  if (subject !== '') return []
  const detail = 'It has no subject for a person whose name is not known: give a default.'
  return [check('error', 'subject_missing', { field: 'subject', detail })]
}

/** The headers of RFC 8058 are always there; people look for it in the message. */
function missingWayOut({ html, text }: RenderedTemplate): Check[] {
  const isIn = (part: string) => part.includes(UNSUBSCRIBE_URL) || part.includes(PREFERENCES_URL)
  if (!isIn(html)) {
    const detail = 'It has no link to unsubscribe: put {{ unsubscribe_url }} or {{ preferences_url }} into it.'
    return [check('error', 'unsubscribe_missing', { field: 'body', detail })]
  }
  if (isIn(text)) return []
  const detail = 'The plain text part has no link to unsubscribe.'
  return [check('warning', 'unsubscribe_missing', { field: 'text', detail })]
}

type Measured = { workspaceId: string; person: MergeContact; settings: MailSettings; renderedFor: RenderedFor }

/** Size of the HTML as it goes out: with tracking each of its links is longer than its author has written it. */
async function bytesAsSent(
  { baseUrl }: ContentDeps,
  template: CompiledTemplate,
  { workspaceId, person, settings, renderedFor }: Measured,
): Promise<number> {
  const ids = { messageId: LONG_ID, contactId: LONG_ID, destination: person.email ?? '' }
  const own = measuringLinks(baseUrl).of({ workspaceId, ...ids, sendingSource: 'broadcasts' })
  const { unsubscribeUrl, preferencesUrl } = own
  const { trackClicks, trackOpens, postalAddress } = settings
  const variables = { postal_address: postalAddress ?? '' }
  const merged = mergeVariables(person, { unsubscribeUrl, preferencesUrl, variables })
  const clickUrl = trackClicks ? (url: string, index: number) => own.clickUrl(url, index) : null
  const mail = await renderMail(template, merged, clickUrl, {
    pixelUrl: trackOpens ? own.openUrl : null,
    renderedFor,
  })
  return Buffer.byteLength(wholeText(mail.html))
}

/** An image that was put in and is still to be chosen. */
const NO_PICTURE = /<(?:mj-image|mj-carousel-image|img)\s[^<>]*\bsrc\s*=\s*(?:""|'')/gi

function missingPictures(body: string): Check[] {
  const lineOf = lineFinder(body)
  const lines = [...body.matchAll(NO_PICTURE)].map(({ index }) => lineOf(index))
  const detail = 'An image has no picture yet: its readers see a gap.'
  return [...new Set(lines)].map((line) => check('warning', 'content_warning', { field: 'body', line, detail }))
}

/** A picture with a link, of MJML or alone in a link of HTML. */
const LEADING_PICTURE = /<mj-image\s[^<>]*>|<a\s[^<>]*>\s*<img\s[^<>]*>\s*<\/a>/gi
const LEADS = /\shref\s*=\s*(?:"[^"]|'[^'])/i
const SAYS = /\salt\s*=\s*(?:"[^"]|'[^'])/i

/** Readers who do not see such a picture, or block pictures, have nothing to go by. */
function mutePictures(body: string): Check[] {
  const lineOf = lineFinder(body)
  const mute = [...body.matchAll(LEADING_PICTURE)].filter(([picture]) => LEADS.test(picture) && !SAYS.test(picture))
  const detail = 'A picture leads somewhere and says nothing: give it words (alt) for those who do not see it.'
  return [...new Set(mute.map(({ index }) => lineOf(index)))].map((line) =>
    check('warning', 'content_warning', { field: 'body', line, detail }),
  )
}

function tooLarge(bytes: number): Check[] {
  if (bytes <= HTML_BYTES_CLIPPED) return []
  const detail = `The HTML has ${bytes} bytes. From ${HTML_BYTES_CLIPPED} on Gmail cuts a message off.`
  return [check('warning', 'message_large', { field: 'body', detail })]
}

function missingText({ text }: RenderedTemplate): Check[] {
  if (text.trim() !== '') return []
  const detail =
    'It has no plain text part, and none can be made of the body: there are only pictures without words in it.'
  return [check('warning', 'text_missing', { field: 'text', detail })]
}

function missingAddress({ html }: RenderedTemplate, postalAddress: string | null): Check[] {
  if (postalAddress === null) {
    const detail = 'No postal address is set. The law of many countries asks for one in marketing mail.'
    return [check('warning', 'postal_address_missing', { field: null, detail })]
  }
  const first = postalAddress.split(/\r?\n/)[0]!.trim()
  if (html.includes(first)) return []
  const detail = 'The postal address is not in it: put {{ postal_address }} into it.'
  return [check('warning', 'postal_address_missing', { field: 'body', detail })]
}

/** A name that nobody can have a value for, misspelt perhaps: everybody gets nothing there. */
function unknownNames({ variables }: CompiledTemplate, { customFields }: MergeContact): Check[] {
  const extras = { unsubscribeUrl: '', preferencesUrl: '', variables: { postal_address: '' } }
  const known = mergeVariables({ ...STRANGER, customFields }, extras)
  const unknown = variables.filter((name) => !(name in known))
  if (unknown.length === 0) return []
  const detail = `No contact has a field of this name: ${unknown.join(', ')}.`
  return [check('warning', 'unknown_field', { field: null, detail })]
}
