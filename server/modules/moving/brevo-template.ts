import type { Mapping } from '../imports/mapping.ts'
import { asLiquid, type Converted } from './as-liquid.ts'
import { attributeTargets, variableOf } from './person-rows.ts'

const EXPRESSION = /\{\{[^{}]{1,500}\}\}|\{%[^{}%]{1,500}%\}|\[(?:UNSUBSCRIBE|MIRROR|UPDATE_PROFILE)\]/g
const VALUE = /^(contact|params)\.([A-Za-z_][\w.-]{0,99})$/
const DEFAULT = /^default ?: ?("[^"]{0,200}"|'[^']{0,200}')$/
const CONDITION = /^(if|elif) (not )?((?:contact|params)\.[A-Za-z_][\w.-]{0,99})$/

const PAGES: Readonly<Record<string, string | null>> = {
  unsubscribe: '{{ unsubscribe_url }}',
  update_profile: '{{ preferences_url }}',
  // A page that shows the mail in a browser: there is none here.
  mirror: null,
}
const BLOCKS: Readonly<Record<string, string>> = { else: 'else', endif: 'endif' }
const CONDITIONS: Readonly<Record<string, string>> = { if: 'if', elif: 'elsif' }

/**
 * Texts in Brevo's template language as Liquid, with its attributes under the names that they have here: values, their defaults,
 * and conditions that ask whether there is one.
 */
export function fromBrevoTemplate(text: string, targets: Mapping): Converted {
  return asLiquid(text, EXPRESSION, (expression) => {
    const inner = expression.slice(expression.startsWith('[') ? 1 : 2, expression.startsWith('[') ? -1 : -2)
    const words = inner.trim().replaceAll(/\s+/g, ' ')
    return expression.startsWith('{%') ? tagOf(words, targets) : variableHere(words, targets)
  })
}

function variableHere(words: string, targets: Mapping): string | null | undefined {
  const page = words.toLowerCase()
  if (Object.hasOwn(PAGES, page)) return PAGES[page]
  const [value = '', filter, ...more] = words.split('|').map((part) => part.trim())
  const name = nameHere(value, targets)
  if (name === undefined || more.length > 0) return undefined
  if (filter === undefined) return `{{ ${name} }}`
  const [, fallback] = DEFAULT.exec(filter) ?? []
  return fallback === undefined ? undefined : `{{ ${name} | default: ${fallback} }}`
}

function tagOf(words: string, targets: Mapping): string | undefined {
  if (Object.hasOwn(BLOCKS, words)) return `{% ${BLOCKS[words]} %}`
  const [, tag, not, value] = CONDITION.exec(words) ?? []
  const name = value === undefined ? undefined : nameHere(value, targets)
  if (tag === undefined || name === undefined) return undefined
  // There an empty value is as false as none.
  return not ? `{% ${CONDITIONS[tag]} ${name} == blank %}` : `{% ${CONDITIONS[tag]} ${name} != blank %}`
}

function nameHere(value: string, targets: Mapping): string | undefined {
  const [, of, name = ''] = VALUE.exec(value) ?? []
  if (of === 'params') return name.includes('-') ? undefined : name
  if (of === undefined || name.includes('.')) return undefined
  if (name.toUpperCase() === 'EMAIL') return 'email'
  return variableOf((Object.hasOwn(targets, name) ? targets : attributeTargets([name]))[name] ?? '')
}
