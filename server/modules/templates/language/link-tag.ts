import { type Context, type Emitter, type Liquid, type Parser, Tag, type TagToken, type TopLevelToken } from 'liquidjs'
import { escapeHtml } from '../../../platform/html.ts'
import { decodeEntities } from '../layout/html-entities.ts'
import { LINK_STEPS } from '../template-limits.ts'
import { type BoundedContext, BoundedEmitter, type LinkRewriter } from './bounded-context.ts'
import type { TagClass } from './liquid-tags.ts'
import { renderNodes } from './render-nodes.ts'

/**
 * Two tags that no author can write (`check-liquid.ts` knows none of their names); the compiler puts them into HTML.
 * `{% postroom_link 3 %}https://…{% endpostroom_link %}` is the value of the fourth link's href, which may hold Liquid of
 * its own and stand in a loop; `{% postroom_pixel %}` is the place of the open pixel.
 */
const LINK = 'postroom_link'
const PIXEL = 'postroom_pixel'
const WEB_ADDRESS = /^https?:\/\//i

export const openLink = (index: number) => `{% ${LINK} ${index} %}`
export const CLOSE_LINK = `{% end${LINK} %}`
export const PIXEL_PLACE = `{% ${PIXEL} %}`

class LinkTag extends Tag {
  readonly #index: number
  readonly #nodes: ReturnType<Parser['parseToken']>[] = []

  constructor(token: TagToken, rest: TopLevelToken[], liquid: Liquid, parser: Parser) {
    super(token, rest, liquid)
    this.#index = Number(token.args)
    while (rest.length > 0) {
      const next = rest.shift()!
      if ((next as TagToken).name === `end${LINK}`) return
      this.#nodes.push(parser.parseToken(next, rest))
    }
    throw new Error('a link is not closed')
  }

  override render(context: Context, emitter: Emitter): void {
    const bounded = context as BoundedContext
    const { rewriteLink, untracked } = bounded.extras
    if (rewriteLink === null) {
      renderNodes(this.#nodes, bounded, emitter)
      return
    }
    bounded.budget.takeSteps(LINK_STEPS)
    const inner = new BoundedEmitter(bounded.budget)
    renderNodes(this.#nodes, bounded, inner)
    emitter.write(this.#rewritten(inner.text, rewriteLink, untracked))
  }

  #rewritten(written: string, rewriteLink: LinkRewriter, untracked: readonly string[]): string {
    const url = decodeEntities(written).trim()
    const isTracked = WEB_ADDRESS.test(url) && !untracked.includes(url)
    return isTracked ? escapeHtml(rewriteLink(url, this.#index)) : written
  }
}

class PixelTag extends Tag {
  override render(context: Context, emitter: Emitter): void {
    const { pixelUrl } = (context as BoundedContext).extras
    if (pixelUrl === null) return
    const look = 'display:block;width:1px;height:1px;border:0'
    emitter.write(`<img src="${escapeHtml(pixelUrl)}" width="1" height="1" alt="" style="${look}">`)
  }
}

export const linkTag = { name: LINK, tag: LinkTag as unknown as TagClass }
export const pixelTag = { name: PIXEL, tag: PixelTag as unknown as TagClass }
