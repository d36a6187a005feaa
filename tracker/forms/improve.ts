import { openForm } from './send.ts'
import { canSolve } from './solve.ts'

/** Sends a plain form from where it is, and shows in its place what came of it. Where that fails it is sent as without a script. */
export async function improve(form: HTMLFormElement, url: string): Promise<void> {
  if (!canSolve()) return
  const sender = await openForm(url).catch(() => undefined)
  if (!sender) return
  const { texts } = sender.definition
  const note = document.createElement('p')
  note.setAttribute('role', 'status')
  form.addEventListener('focusin', sender.prepare, { once: true })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const button = form.querySelector('button')
    if (button) button.disabled = true
    const sent = await sender.send(valuesOf(form))
    if (button) button.disabled = false
    note.textContent = sent.taken ? texts.doneText : sent.text
    if (sent.taken) form.replaceWith(note)
    else form.append(note)
  })
}

export function valuesOf(form: HTMLFormElement): Record<string, string> {
  const values: Record<string, string> = {}
  new FormData(form).forEach((value, name) => {
    if (typeof value === 'string') values[name] = value
  })
  return values
}
