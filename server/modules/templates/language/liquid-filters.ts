import { filters as builtIn, type Context } from 'liquidjs'
import { escapeHtml, escapeHtmlOnce } from '../../../platform/html.ts'
import type { BoundedContext } from './bounded-context.ts'
import { formatDate } from './format-date.ts'
import { BudgetError } from './render-budget.ts'
import { SafeHtml } from './safe-html.ts'
import { textOf } from './text-of.ts'

type Filter = (this: { context: Context }, value: unknown, ...args: unknown[]) => unknown
/** `raw` filters end the escaping of an output. */
export type RegisteredFilter = { raw: boolean; handler: Filter }

/**
 * The filters a template may use: those of Liquid whose result is no longer than their inputs together. Filters that
 * evaluate text as Liquid (`where_exp`, `group_by_exp` ...) or put lists into lists (`push`, `group_by`) are left out.
 */
const NAMES = [
  'default json raw size',
  'append capitalize downcase lstrip normalize_whitespace prepend remove remove_first remove_last replace replace_first',
  'replace_last rstrip slice split squish strip strip_html strip_newlines truncate truncatewords upcase',
  'cgi_escape uri_escape url_decode url_encode base64_encode base64_decode',
  'array_to_sentence_string compact concat first join last map reject reverse sort sort_natural sum uniq where',
  'abs at_least at_most ceil divided_by floor minus modulo plus round times',
]
  .join(' ')
  .split(' ')

/** Comparing items in pairs takes more steps than there are items. */
const SORTING = new Set(['sort', 'sort_natural'])

/** Looking for one text in another can take as many steps as both are long, multiplied. */
const SEARCHING = new Set([
  'remove',
  'remove_first',
  'remove_last',
  'replace',
  'replace_first',
  'replace_last',
  'split',
])
const SEARCH_CHARS_FREE = 64

/** The filters that both kinds of engine register. */
export type FilterTable = [name: string, filter: RegisteredFilter][]

export function liquidFilters(kind: 'html' | 'text'): FilterTable {
  const table: FilterTable = NAMES.map((name) => {
    const found = builtIn[name as keyof typeof builtIn] as Filter | RegisteredFilter
    const handler = typeof found === 'function' ? found : found.handler
    return [name, { raw: name === 'raw', handler: charged(name, handler) }]
  })
  return [...table, ...dateFilters(), ...(kind === 'html' ? htmlFilters() : textFilters())]
}

/** Its inputs are paid for before it runs. */
function charged(name: string, filter: Filter): Filter {
  return function (value, ...args) {
    const { budget } = this.context as BoundedContext
    budget.takeSteps(1 + args.length)
    const inputs = SORTING.has(name) && Array.isArray(value) ? sortCost(value) : 1
    for (let n = 0; n < inputs; n += 1) budget.takeValue(value)
    budget.takeValue(args)
    if (SEARCHING.has(name)) budget.takeChars(searchCost(value, args[0]))
    return filter.call(this, value, ...args)
  }
}

/** How often each item is looked at. */
function sortCost(list: readonly unknown[]): number {
  return 1 + Math.ceil(Math.log2(list.length + 1))
}

/** The formats of the date filters that have one of their own. */
const DATE_FORMATS: Readonly<Record<string, string>> = {
  date_to_long_string: '%d %B %Y',
  date_to_rfc822: '%a, %d %b %Y %H:%M:%S %z',
  date_to_string: '%d %b %Y',
  date_to_xmlschema: '%Y-%m-%dT%H:%M:%S%:z',
}
const DATE_FORMAT_CHARS_MAX = 200
/** A place's clock is made at its first use: 50 us. */
const ZONE_STEPS = 50
const DATE_FORMAT_DEFAULT = '%A, %B %-e, %Y at %-l:%M %P %z'

/**
 * Ours in the place of the library's, which makes a new formatter for each name of a month. Values that are no dates
 * stay.
 */
function dateFilters(): FilterTable {
  const date = charged('date', function (value, format = DATE_FORMAT_DEFAULT, zone) {
    if (zone !== undefined) (this.context as BoundedContext).budget.takeSteps(ZONE_STEPS)
    const text = textOf(format)
    if (text.length > DATE_FORMAT_CHARS_MAX) {
      throw new BudgetError(`has a date format of more than ${DATE_FORMAT_CHARS_MAX} characters`)
    }
    return formatDate(value, text, zone === undefined ? undefined : textOf(zone)) ?? value
  })
  const fixed = Object.entries(DATE_FORMATS).map(([name, format]): FilterTable[number] => [
    name,
    { raw: false, handler: charged(name, (value) => formatDate(value, format) ?? value) },
  ])
  return [['date', { raw: false, handler: date }], ...fixed]
}

export function searchCost(text: unknown, pattern: unknown): number {
  return (String(text ?? '').length * String(pattern ?? '').length) / SEARCH_CHARS_FREE
}

/** In HTML an escaped value stays HTML through `default` and `assign`, and is not escaped again. */
function htmlFilters(): FilterTable {
  const html = (make: (text: string) => string) => ({
    raw: true,
    handler: charged('escape', (value) => (value instanceof SafeHtml ? value : new SafeHtml(make(textOf(value))))),
  })
  const escaping = html(escapeHtml)
  const once = html(escapeHtmlOnce)
  const breaks = charged('newline_to_br', (value) => {
    const text = value instanceof SafeHtml ? value.html : escapeHtmlOnce(textOf(value))
    return new SafeHtml(text.replace(/\r?\n/g, '<br>\n'))
  })
  const orElse = charged('default', function (value, ...args) {
    return value instanceof SafeHtml && value.html !== ''
      ? value
      : (builtIn.default as Filter).call(this, value, ...args)
  })
  return [
    ['default', { raw: false, handler: orElse }],
    ['escape', escaping],
    ['h', escaping],
    ['xml_escape', escaping],
    ['escape_once', once],
    ['newline_to_br', { raw: true, handler: breaks }],
  ]
}

/** Text is not escaped: what a template does for its HTML part does nothing here, so that one source can serve both. */
function textFilters(): FilterTable {
  const same = { raw: true, handler: charged('escape', (value) => value) }
  return ['escape', 'h', 'xml_escape', 'escape_once', 'newline_to_br'].map((name) => [name, same])
}
