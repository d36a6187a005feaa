/** The tag that brought this script: browsers tell it only while the script runs for the first time. */
const tag = (document.currentScript ?? document.querySelector('script[data-collect-key]')) as HTMLScriptElement
const { dataset } = tag

/** `data-collect-key`: the public key of the tracker. */
export const key = dataset.collectKey
/** `data-consent`: `required` unless it says `implied` or `cookieless`. */
export const mode = dataset.consent
/** `data-auto`: what is recorded by itself. */
export const auto = dataset.auto ?? 'pages,links'
/** Where the intake is: `data-collect-url`, or beside this script, so that a proxy with a path of its own needs no more. */
export const collectUrl = dataset.collectUrl ?? new URL('collect', tag.src).href

/** `data-debug`: says in the console what is recorded, sent and refused. */
export function say(...words: unknown[]): void {
  if ('debug' in dataset) console.log('postroom:', ...words)
}
