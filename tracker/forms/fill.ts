import { valuesOf } from './improve.ts'
import { openForm, type Sender } from './send.ts'
import { canSolve } from './solve.ts'

const STYLE = `
:host{display:block;color:inherit;font:inherit}
form,p{margin:0}
label{display:block;margin:.75em 0 .25em;font-weight:500}
input{box-sizing:border-box;width:100%;min-height:2.5em;padding:.4em .7em;font:inherit;color:inherit;background:transparent;border:1px solid;border-radius:.5em}
input[aria-invalid]{border-color:#b42318;border-width:2px}
button{width:100%;min-height:2.6em;margin-top:1em;padding:.4em 1em;font:inherit;font-weight:600;color:var(--on);background:var(--back);border:0;border-radius:.5em;cursor:pointer}
button[disabled]{opacity:.6}
.soft{margin-top:.9em;font-size:.875em;opacity:.8}
.note{margin-top:.75em;font-weight:500}
.away{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
:focus-visible{outline:2px solid;outline-offset:2px}`

type Made = { [name: string]: string }

/** An element with attributes and text; nothing of a form is ever taken for markup. */
function make(name: string, attributes: Made = {}, text = ''): HTMLElement {
  const made = document.createElement(name)
  for (const attribute of Object.keys(attributes)) made.setAttribute(attribute, attributes[attribute]!)
  made.textContent = text
  return made
}

/** Adds styles that a policy of the page against written ones does not stop. */
export function dress(root: ShadowRoot, style: string): void {
  try {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(style)
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
  } catch {
    // An old browser: the form has the looks that browsers give forms.
  }
}

/** Fills a place with the form of an address. `done` is told when it was sent. */
export async function fill(place: HTMLElement, url: string, done?: () => void): Promise<void> {
  const sender = await openForm(url).catch(() => undefined)
  if (!sender) return
  const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' })
  const { language, brand, texts } = sender.definition
  Object.assign(place.dataset, { label: brand.name, close: texts.close })
  dress(root, STYLE)
  const holder = make('div', { lang: language })
  holder.style.setProperty('--back', brand.color ?? '#3549c4')
  holder.style.setProperty('--on', brand.onColor ?? '#ffffff')
  const form = formOf(sender, url)
  holder.append(form)
  root.append(holder)
  const note = make('p', { class: 'note', role: 'status' })
  form.addEventListener('focusin', sender.prepare, { once: true })
  form.addEventListener('submit', async (event) => {
    if (!canSolve() && sender.definition.challenge) return
    event.preventDefault()
    const button = form.querySelector('button')!
    button.disabled = true
    const sent = await sender.send(valuesOf(form))
    button.disabled = false
    if (sent.taken) {
      holder.replaceChildren(
        make('p', { class: 'note', role: 'status' }, texts.doneTitle),
        make('p', {}, texts.doneText),
      )
      done?.()
      return
    }
    for (const input of form.querySelectorAll('input')) {
      if (sent.fields.includes(input.name)) input.setAttribute('aria-invalid', 'true')
      else input.removeAttribute('aria-invalid')
    }
    note.textContent = sent.text
    form.append(note)
  })
}

const KINDS: Made = { email: 'email', phone: 'tel' }
const AUTOCOMPLETE: Made = { email: 'email', firstName: 'given-name', lastName: 'family-name', phone: 'tel' }

/** A form that works without the rest of the script as well: the browser goes to our page then. */
function formOf({ definition }: Sender, action: string): HTMLFormElement {
  const { fields, texts, trap, consentWording } = definition
  const form = make('form', { method: 'post', action }) as HTMLFormElement
  for (const { field, label, required, maxLength } of fields) {
    const input = make('input', {
      ...{ id: field, name: field, maxlength: String(maxLength), type: KINDS[field] ?? 'text' },
      ...{ autocomplete: AUTOCOMPLETE[field] ?? 'on' },
      ...(required ? { required: '' } : {}),
    })
    form.append(make('label', { for: field }, required ? label : `${label} (${texts.optional})`), input)
  }
  const away = make('div', { class: 'away', 'aria-hidden': 'true' })
  away.append(
    make('label', { for: trap }, texts.leaveEmpty),
    make('input', { id: trap, name: trap, tabindex: '-1', autocomplete: 'off' }),
  )
  form.append(away, make('p', { class: 'soft' }, consentWording), make('button', {}, texts.button))
  return form
}
