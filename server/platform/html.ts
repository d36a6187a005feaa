/** Markup that is safe to send: made by `html`, so that everything put into it was escaped. */
export type Html = { readonly markup: string }

type Value = Html | string | number | null | undefined | false | readonly Value[]

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * A template of HTML. Text put into it is escaped for content and for quoted attributes; markup made by `html` is not;
 * nothing stands for null, undefined and false.
 */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return { markup: parts.reduce((text, part, index) => text + render(values[index - 1]) + part) }
}

/** Text for content and for quoted attributes. Most has nothing to escape, and asking first is the faster way then. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!) : text
}

/** The same, but entities that stand there already stay as they are. */
export function escapeHtmlOnce(text: string): string {
  return text.replace(/&(?!#?\w{1,31};)|[<>"']/g, (sign) => ESCAPES[sign]!)
}

function render(value: Value): string {
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return String(value)
  return 'markup' in value ? value.markup : value.map(render).join('')
}
