import { createHash } from 'node:crypto'

/**
 * The script of forms asks for its form here, and is given what the page around has sent; whatever is filled in goes nowhere, and
 * is answered as if it had been taken. Each message shows the form anew.
 */
const SCRIPT = `addEventListener('message', ({ data, source }) => {
  if (source !== parent) return
  const { definition, how } = data
  window.fetch = async () => new Response(JSON.stringify(definition))
  const place = document.createElement('div')
  Object.assign(place.dataset, { postroomForm: definition.key }, how ? { show: how, every: '0' } : {})
  const script = document.createElement('script')
  script.src = '/f.js'
  document.querySelector('main').replaceChildren(place, script)
})
parent.postMessage('ready', '*')`

const STYLE = `:root{color-scheme:light dark}body{margin:0;font:16px/1.5 system-ui,sans-serif;color:CanvasText;background:Canvas}
main{box-sizing:border-box;max-width:30rem;margin:0 auto;padding:1rem 1.25rem 1.5rem}`

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The policy of the page, which stands in the sandbox of the frame as well. */
export const FORM_FRAME_POLICY = [
  'sandbox allow-scripts allow-forms',
  "default-src 'none'",
  `script-src 'self' ${hashOf(SCRIPT)}`,
  `style-src ${hashOf(STYLE)}`,
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ')

/**
 * A page in which the dashboard shows a form as other sites would, by the script that they have (`/f.js`). It is of no origin, has
 * no cookie and no storage, asks nobody and sends nothing.
 */
export const FORM_FRAME = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Form</title><style>${STYLE}</style></head><body><main></main><script>${SCRIPT}</script></body></html>`
