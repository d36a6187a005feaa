const TAKEN = 'script,style,meta,link,title,template'

/** Pasted HTML without how it looks: words, lists, bold, italic and links are taken over, and nothing that would run. */
export function withoutLooks(html: string): string {
  const parsed = new DOMParser().parseFromString(html, 'text/html')
  for (const element of parsed.querySelectorAll(TAKEN)) element.remove()
  for (const element of parsed.querySelectorAll('*')) {
    for (const { name } of [...element.attributes]) {
      if (!STAYS.has(name)) element.removeAttribute(name)
    }
  }
  return parsed.body.innerHTML
}

const STAYS = new Set(['href', 'data-liquid', 'data-pm-slice'])
