import { PRODUCTS } from './products.mjs'

/** A page: head with the tracker, header, content, the question for consent, and the ways behind the counter. */
export function pagesOf({ postroom, made, wording }) {
  const dashboard = `${postroom}/app/default`
  const behind = [
    [`${dashboard}/trackers/${made.tracker.id}`, 'what visitors do'],
    [`${dashboard}/forms/${made.form.id}`, 'sign-ups'],
    [`${dashboard}/automations/${made.automation.id}`, 'forgotten carts'],
    [`${dashboard}/contacts`, 'people'],
    [`${postroom}/app/mailbox`, 'the mailbox'],
  ]
  return (title, cart, content) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Sample shop</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/shop.css">
<script src="/shop.js"></script>
<script async src="${postroom}/t.js" data-collect-key="${made.tracker.key}" data-debug></script>
<script async src="${postroom}/f.js"></script>
</head>
<body>
<header><a class="brand" href="/">Sample shop</a><nav><a href="/cart">Cart${cart.skus.length ? ` <b>${cart.skus.length}</b>` : ''}</a></nav></header>
<main>
${content}
</main>
<footer>
<p><button type="button" class="plain" data-ask>Privacy</button> Nothing here is real: this is an example of Postroom.</p>
<p>Behind the counter: ${behind.map(([to, name]) => `<a href="${to}" target="_blank" rel="noopener">${name}</a>`).join(' · ')}</p>
</footer>
<section class="consent" aria-label="Privacy" hidden>
<p><strong data-wording>${wording}</strong> It helps us to see what is liked, and to remind you of a cart that you left. No is as good as yes.</p>
<p class="acts"><button type="button" data-answer="granted">Yes</button> <button type="button" data-answer="denied">No</button></p>
</section>
</body>
</html>`
}

const price = (amount) => `${amount} €`

const drawing = (sku) =>
  `<svg class="${sku}" viewBox="0 0 120 120" aria-hidden="true"><circle cx="60" cy="60" r="52"/><path d="${PRODUCTS[sku].shape}"/></svg>`

export function homePage({ form }) {
  const cards = Object.entries(PRODUCTS).map(
    ([sku, product]) =>
      `<li><a href="/products/${sku}">${drawing(sku)}<b>${product.name}</b> <span>${price(product.price)}</span></a></li>`,
  )
  return `<section class="hero"><h1>Made by hand, for every day</h1>
<p>Four things of clay that we would not do without.</p>
<a class="act" href="/products/vase" data-postroom-event="offer.opened" data-postroom-offer="vase">See the new vase</a></section>
<ul class="products">${cards.join('\n')}</ul>
<section class="sign-up"><div><h2>News from the kiln</h2><p>A mail when something new comes out of it. Two or three in a year.</p></div>
<div data-postroom-form="${form.key}"></div></section>`
}

/** A change of the cart is recorded by shop.js as it is sent, with the sum that it comes to. */
const recorded = (id, total) => `data-cart='${JSON.stringify({ cartId: id, total })}'`

export function productPage(sku, cart) {
  const product = PRODUCTS[sku]
  return `<article class="product">${drawing(sku)}
<div><h1>${product.name}</h1><p class="price">${price(product.price)}</p><p>${product.words}</p>
<form method="post" action="/cart" ${recorded(cart.id, cart.total + product.price)}>
<input type="hidden" name="cart" value="${cart.id}"><input type="hidden" name="sku" value="${sku}"><button>Put it into the cart</button></form>
<p><a href="/">Look further</a></p></div></article>`
}

export function cartPage(cart) {
  if (cart.skus.length === 0) return notePage('Your cart is empty', 'Whatever you choose waits here for you.')
  const lines = [...new Set(cart.skus)].map((sku) => {
    const count = cart.skus.filter((other) => other === sku).length
    const sum = count * PRODUCTS[sku].price
    return `<li>${drawing(sku)}<span><b>${PRODUCTS[sku].name}</b>${count > 1 ? ` × ${count}` : ''}</span><span>${price(sum)}</span>
<form method="post" action="/cart" ${recorded(cart.id, cart.total - sum)}><input type="hidden" name="sku" value="${sku}">
<button class="plain" name="remove" value="yes" aria-label="Remove: ${PRODUCTS[sku].name}">Remove</button></form></li>`
  })
  return `<h1>Your cart</h1><ul class="lines">${lines.join('\n')}</ul><p class="total">Together <b>${price(cart.total)}</b></p>
<form class="order" method="post" action="/orders"><label for="email">Email</label>
<input id="email" type="email" name="email" autocomplete="email" required><button>Buy for ${price(cart.total)}</button></form>`
}

export function notePage(title, words) {
  return `<section class="note"><h1>${title}</h1><p>${words}</p><p><a class="act" href="/">To the shop</a></p></section>`
}
