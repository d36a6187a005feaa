import { wholeText } from '../../platform/mail/mail-text.ts'
import type { CompiledTemplate } from './compile-template.ts'
import { type RenderedFor, renderAside } from './render-aside.ts'
import { isBeyondLimits, type LinkRewriter, RenderError, type RenderedMail, renderParts } from './render-parts.ts'
import { PARSED_HERE_CHARS_MAX, RENDERED_HERE_CHARS_MAX, RENDERED_HERE_STEPS_MAX } from './template-limits.ts'

export type { RenderedFor } from './render-aside.ts'
export { type LinkRewriter, RenderError, type RenderedMail } from './render-parts.ts'
/** `links`: the finished addresses of the http(s) links of the HTML part, as they come. */
export type RenderedTemplate = { subject: string; html: string; text: string; links: string[] }

type Variables = Readonly<Record<string, unknown>>

const HERE = { steps: RENDERED_HERE_STEPS_MAX, chars: RENDERED_HERE_CHARS_MAX }

/**
 * Renders a message as it goes out: at once where it is soon done, as nearly all are, and one that takes longer in a thread,
 * where it holds nobody up. The same comes out. `rewriteLink`, a pure function, is given the finished address of each http(s)
 * link of the HTML part (entities decoded) and the link's index in `template.links`, and its answer takes the address's
 * place; the addresses of the variables `unsubscribe_url` and `preferences_url` are left as they are. `pixelUrl` becomes an
 * invisible picture at the end of the body. Throws `RenderError`, and for a request `CompilerBusyError`.
 */
export async function renderMail(
  template: CompiledTemplate,
  variables: Variables,
  rewriteLink: LinkRewriter | null,
  { pixelUrl = null, renderedFor = 'sender' }: { pixelUrl?: string | null; renderedFor?: RenderedFor } = {},
): Promise<RenderedMail> {
  const mail = renderHere(template, { variables, rewriteLink, pixelUrl })
  return mail ?? (await renderAside(template, { variables, rewriteLink, pixelUrl, renderedFor })).mail
}

/** Renders a message for those who look at it: no link is another's. Throws `RenderError`, and for a request `CompilerBusyError`. */
export async function renderTemplate(
  template: CompiledTemplate,
  variables: Variables,
  renderedFor: RenderedFor = 'request',
): Promise<RenderedTemplate> {
  const links: string[] = []
  const collect = (url: string) => {
    links.push(url)
    return url
  }
  const mail = renderHere(template, { variables, rewriteLink: collect, pixelUrl: null })
  if (mail) return { ...mail, html: wholeText(mail.html), links }
  const aside = await renderAside(template, { variables, rewriteLink: (url) => url, pixelUrl: null, renderedFor })
  return { ...aside.mail, links: aside.links }
}

type Given = { variables: Variables; rewriteLink: LinkRewriter | null; pixelUrl: string | null }

/** Undefined where it takes more than can be rendered while everybody waits. */
function renderHere(template: CompiledTemplate, given: Given): RenderedMail | undefined {
  if (template.liquidChars > PARSED_HERE_CHARS_MAX) return undefined
  const { textIsMade } = template
  try {
    return renderParts({ parsed: template.parsed(), textIsMade, ...given, limits: HERE })
  } catch (error) {
    if (error instanceof RenderError && isBeyondLimits(error)) return undefined
    throw error
  }
}
