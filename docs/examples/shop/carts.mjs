import { randomUUID } from 'node:crypto'
import { PRODUCTS } from './products.mjs'

const CARTS_MAX = 1_000
const CART_ID = /^[0-9a-f-]{36}$/

/** Carts by the id that stands in a cookie; the oldest goes when there are too many. A real shop keeps them in its database. */
export function openCarts() {
  const carts = new Map()

  function cartOf(id, skus) {
    const keep = (changed) => {
      carts.delete(id)
      carts.set(id, changed)
      if (carts.size > CARTS_MAX) carts.delete(carts.keys().next().value)
      return id
    }
    return {
      id,
      skus,
      total: skus.reduce((sum, sku) => sum + PRODUCTS[sku].price, 0),
      with: (sku) => keep([...skus, sku]),
      without: (sku) => keep(skus.filter((other) => other !== sku)),
    }
  }
  const find = (id) => (carts.has(id) ? cartOf(id, carts.get(id)) : undefined)

  return {
    find,
    /** That of the cookie, else an empty one, under the id that the page has had for it. */
    ofVisitor(cookies = '', shown) {
      const own = find(/(?:^|; )cart=([\w-]+)/.exec(cookies)?.[1])
      return own ?? cartOf(CART_ID.test(shown) && !carts.has(shown) ? shown : randomUUID(), [])
    },
    close: ({ id }) => carts.delete(id),
  }
}

/** The address that was typed, or undefined. */
export function addressOf(text = '') {
  return /^[^\s@]+@[^\s@]+$/.test(text.trim()) ? text.trim() : undefined
}
