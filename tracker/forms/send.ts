import { solve } from './solve.ts'

/** A form as the server defines it (docs/guides/forms.md). */
export type Definition = {
  language: string
  brand: { name: string; color: string | null; onColor: string | null }
  fields: { field: string; label: string; required: boolean; maxLength: number }[]
  consentWording: string
  trap: string
  challenge: boolean
  renderToken: string
  texts: {
    button: string
    optional: string
    close: string
    leaveEmpty: string
    doneTitle: string
    doneText: string
    failed: string
    crowd: string
    faults: { required: string; email: string; long: string; value: string }
  }
}

/** `taken`, or what is to be told: of some fields, by their names, or of all. */
export type Sent = { taken: true } | { taken: false; text: string; fields: readonly string[] }

/** Nobody reads a form and fills it in sooner; a browser that fills it in by itself waits the rest. */
const READ_MS = 2_100

export type Sender = {
  definition: Definition
  /** Begins the work of the challenge, which takes a moment: while somebody types. */
  prepare(): void
  send(values: Record<string, string>): Promise<Sent>
}

/** Undefined for a form that there is not, or not for this page. */
export async function openForm(url: string): Promise<Sender | undefined> {
  const ask = async () => {
    const response = await fetch(url, { credentials: 'omit' })
    return response.ok ? ((await response.json()) as Definition) : undefined
  }
  const definition = await ask()
  if (!definition) return undefined
  let { renderToken } = definition
  let shownAt = Date.now()
  let work: Promise<string | undefined> | undefined

  const prepare = () => {
    work ??= definition.challenge ? solve(url, renderToken) : Promise.resolve(undefined)
    // A failure shows when it is sent.
    work.catch(() => undefined)
  }

  async function post(values: Record<string, string>): Promise<Response> {
    prepare()
    const altcha = await work
    await new Promise((go) => setTimeout(go, shownAt + READ_MS - Date.now()))
    const webdriver = navigator.webdriver ? 'true' : undefined
    // Plain text needs no question before it.
    const headers = { 'content-type': 'text/plain' }
    // Of the tracker, where there is one, and its visitor has agreed.
    const visitorId = (window as { postroom?: (command: string) => unknown }).postroom?.('visitorId')
    const body = JSON.stringify({ ...values, renderToken, altcha, webdriver, visitorId })
    return fetch(url, { method: 'POST', headers, body, credentials: 'omit' })
  }

  async function send(values: Record<string, string>): Promise<Sent> {
    const { texts } = definition!
    const failed = (text: string, fields: readonly string[] = []) => ({ taken: false as const, text, fields })
    try {
      let response = await post(values)
      if (response.status === 422) {
        // The page was open for long, or the work was sent before.
        renderToken = (await ask())?.renderToken ?? renderToken
        shownAt = Date.now()
        work = undefined
        response = await post(values)
      }
      if (response.ok) return { taken: true }
      // Work is taken once.
      work = undefined
      if (response.status === 429) return failed(texts.crowd)
      const { errors = [] } = (await response.json()) as { errors?: { pointer: string }[] }
      return failed(
        errors.length > 0 ? texts.faults.value : texts.failed,
        errors.map(({ pointer }) => pointer.slice(1).replace(/~1/g, '/').replace(/~0/g, '~')),
      )
    } catch {
      work = undefined
      return failed(texts.failed)
    }
  }

  return { definition, prepare, send }
}
