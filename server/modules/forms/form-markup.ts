import { type Html, html } from '../../platform/html.ts'
import type { ReaderTexts } from '../readers/texts/en.ts'
import { CUSTOM } from './form-content.ts'
import { honeypotOf } from './honeypot.ts'
import type { FieldFault } from './read-values.ts'
import type { FormContent, FormField } from './schemas.ts'

export type FilledForm = {
  formKey: string
  /** Where it goes. */
  action: string
  content: FormContent
  texts: ReaderTexts
  /** Names of custom fields without a label. */
  customNames: ReadonlyMap<string, string>
  renderToken: string | null
  given?: Readonly<Record<string, unknown>>
  faults?: readonly FieldFault[]
}

/** The form itself, on our page and on those of others. `class` names are the page's own. */
export function formMarkup(form: FilledForm): Html {
  const { formKey, action, content, texts, renderToken } = form
  const trap = honeypotOf(formKey)
  return html`<form class="stack" method="post" action="${action}" data-postroom-form="${formKey}">
${content.fields.map((field) => fieldMarkup(form, field))}
<div class="away" aria-hidden="true"><label for="pf-${trap}">${texts.leaveEmptyLabel}</label><input id="pf-${trap}" name="${trap}" type="text" tabindex="-1" autocomplete="off"></div>
${renderToken !== null && html`<input type="hidden" name="renderToken" value="${renderToken}">`}
<p class="soft">${content.consentWording}</p>
<button>${texts.signUpButton}</button>
</form>`
}

function fieldMarkup({ content: _, texts, given = {}, faults = [], ...form }: FilledForm, field: FormField): Html {
  const { field: name, required, maxLength } = field
  const id = `pf-${name}`
  const fault = faults.find((one) => one.field === name)
  const value = given[name]
  const { type, autocomplete } = MANNERS[name] ?? PLAIN
  return html`<label for="${id}">${labelOf(field, { texts, customNames: form.customNames })}${!required && html` <span class="soft">(${texts.optionalLabel})</span>`}</label>
<input id="${id}" name="${name}" type="${type}" maxlength="${maxLength}"${autocomplete !== null && html` autocomplete="${autocomplete}"`}${typeof value === 'string' && html` value="${value}"`}${required && html` required`}${fault && html` aria-invalid="true" aria-describedby="${id}-fault"`}>
${fault && html`<p class="bad" id="${id}-fault">${faultText(texts, fault.fault)}</p>`}`
}

type Manner = { type: string; autocomplete: string | null }
const PLAIN: Manner = { type: 'text', autocomplete: null }
const MANNERS: Readonly<Record<string, Manner>> = {
  email: { type: 'email', autocomplete: 'email' },
  firstName: { type: 'text', autocomplete: 'given-name' },
  lastName: { type: 'text', autocomplete: 'family-name' },
  phone: { type: 'tel', autocomplete: 'tel' },
}

export function labelOf(
  { field, label }: FormField,
  { texts, customNames }: { texts: ReaderTexts; customNames: ReadonlyMap<string, string> },
): string {
  if (label !== null) return label
  const own: Readonly<Record<string, string>> = {
    email: texts.emailLabel,
    firstName: texts.firstNameLabel,
    lastName: texts.lastNameLabel,
    phone: texts.phoneLabel,
  }
  const key = field.slice(CUSTOM.length)
  return own[field] ?? customNames.get(key) ?? key
}

export function faultText(texts: ReaderTexts, fault: FieldFault['fault']): string {
  const words = {
    required: texts.requiredFault,
    email: texts.emailFault,
    long: texts.longFault,
    value: texts.valueFault,
  }
  return words[fault]
}
