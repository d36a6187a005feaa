const NAME = 'Sample shop'
const WORDING = 'We write to you when something new comes out of the kiln. Each mail has a link that ends it.'

/** All that the shop needs of Postroom, made where it is not there: a tracker for its pages, a form, and what happens to carts. */
export async function setUp(api, shop, restMinutes) {
  const [tracker, form, automation] = await Promise.all(['trackers', 'forms', 'automations'].map(found))

  async function found(family) {
    const { items } = await api('GET', `/${family}?pageSize=1000`)
    return items.find(({ name }) => name === NAME)
  }
  /** What is there although the request for it failed was made by it, and only the answer was lost. */
  async function make(family, body) {
    try {
      return await api('POST', `/${family}`, body)
    } catch (error) {
      const there = await found(family)
      if (!there) throw error
      return there
    }
  }
  async function withOrigin({ id, allowedOrigins }) {
    return api('PATCH', `/trackers/${id}`, { allowedOrigins: [...new Set([...allowedOrigins, shop])] })
  }
  /** A draft is also what a start leaves whose token may not activate. */
  async function inForce(automation) {
    return automation.status === 'draft' ? api('POST', `/automations/${automation.id}/activate`) : automation
  }
  return {
    tracker: tracker ? await withOrigin(tracker) : await make('trackers', trackerOf(shop)),
    form: form ?? (await make('forms', FORM)),
    automation: await inForce(automation ?? (await make('automations', cartAutomation(shop, restMinutes)))),
  }
}

/** Orders come from the shop's server alone. */
const trackerOf = (shop) => ({ name: NAME, allowedOrigins: [shop], serverOnlyActions: ['order.paid'] })

const FORM = {
  name: NAME,
  consentWording: WORDING,
  fields: [{ field: 'email' }, { field: 'firstName' }],
  tags: [NAME],
}

/** A minute, unless told otherwise, instead of the hours that a real shop would wait. Paying for the cart, or emptying it, ends it. */
const cartAutomation = (shop, restMinutes) => ({
  name: NAME,
  definition: {
    format: 1,
    enter: {
      on: [{ event: 'cart.updated', where: [{ property: 'total', operator: '>', value: 0 }] }],
      again: { mode: 'restart', key: 'cartId' },
    },
    exit: [
      { event: 'order.paid', match: { cartId: 'cartId' } },
      { event: 'cart.updated', where: [{ property: 'total', operator: '=', value: 0 }], match: { cartId: 'cartId' } },
    ],
    goal: { event: 'order.paid', match: { cartId: 'cartId' }, value: 'total', within: 'P7D' },
    start: 'rest',
    nodes: {
      rest: { type: 'delay', minutes: restMinutes, to: 'remind' },
      remind: { type: 'email', subject: 'Your cart is still here', body: cartMail(shop), to: 'end' },
    },
  },
})

const cartMail = (shop) => `<mjml lang="en">
  <mj-head>
    <mj-preview>We keep it for you, for a while.</mj-preview>
    <mj-attributes>
      <mj-all font-family="Georgia, serif" />
      <mj-text font-size="17px" line-height="1.6" color="#2c2620" />
    </mj-attributes>
  </mj-head>
  <mj-body background-color="#f6f1ea">
    <mj-section background-color="#fffdfa" padding="32px">
      <mj-column>
        <mj-text font-size="26px" line-height="1.3">Your cart is still here</mj-text>
        <mj-text>Hello {{ first_name | default: "there" }}, what you chose for {{ event.total }} € waits for you. We keep it for a while.</mj-text>
        <mj-button href="${shop}/cart/{{ event.cartId }}" background-color="#9c4a2f" border-radius="6px" align="left">Back to the cart</mj-button>
        <mj-text font-size="13px" color="#6d6257">You get this because you have signed up at the sample shop. <a href="{{ unsubscribe_url }}">Unsubscribe</a></mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`
