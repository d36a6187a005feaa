/** The stories that the automations to begin with have to tell, by their keys; Monday, 1 June 2026, 7:00 UTC is the beginning. */
export const BEGINNING_SCENARIOS: Readonly<Record<string, Record<string, unknown>[]>> = {
  welcome: [
    {
      name: 'Gets three mails, each in the morning of a weekday',
      given: [{ event: 'signed.up' }],
      expect: [
        { mail: 'hello', at: 'PT0M' },
        { mail: 'tip', at: '2026-06-03T09:00:00Z' },
        { mail: 'question', at: '2026-06-08T09:00:00Z' },
        { tag: 'welcomed', at: '2026-06-08T09:00:00Z' },
        { end: 'completed' },
      ],
    },
    {
      name: 'Is welcomed once, however often they sign up',
      given: [{ event: 'form.confirmed' }, { event: 'signed.up', at: 'P30D' }],
      expect: [
        { mail: 'hello' },
        { mail: 'tip' },
        { mail: 'question' },
        { tag: 'welcomed' },
        { end: 'completed' },
        { refused: 'mode', at: 'P30D' },
      ],
    },
    {
      name: 'Gets nothing more once they unsubscribe',
      given: [{ event: 'signed.up' }, { unsubscribe: 'automation', at: 'PT1H' }],
      expect: [
        { mail: 'hello', at: 'PT0M' },
        { end: 'unsubscribed', at: 'PT1H' },
      ],
    },
  ],
  cart: [
    {
      name: 'Who does not come back is reminded twice',
      given: [{ event: 'cart.updated', data: { cartId: 'a' } }],
      expect: [
        { mail: 'remind', at: 'PT2H' },
        { mail: 'again', at: 'PT26H' },
        { end: 'completed', at: 'PT26H' },
      ],
    },
    {
      name: 'Who pays within two hours is not reminded',
      given: [
        { event: 'cart.updated', data: { cartId: 'a' } },
        { event: 'order.paid', data: { cartId: 'a', total: 30 }, at: 'PT90M' },
      ],
      expect: [{ end: 'criterion', at: 'PT90M' }],
    },
    {
      name: 'Who clicks is not mailed again',
      given: [
        { event: 'cart.updated', data: { cartId: 'a' } },
        { click: 'remind', at: 'PT5H' },
      ],
      expect: [
        { mail: 'remind', at: 'PT2H' },
        { tag: 'interested', at: 'PT26H' },
        { end: 'completed', at: 'PT26H' },
      ],
    },
    {
      name: 'A cart that changes begins its two hours anew',
      given: [
        { event: 'cart.updated', data: { cartId: 'a' } },
        { event: 'cart.updated', data: { cartId: 'a' }, at: 'PT1H' },
        { event: 'order.paid', data: { cartId: 'a' }, at: 'PT4H' },
      ],
      expect: [
        { end: 'restart', at: 'PT1H' },
        { mail: 'remind', at: 'PT3H' },
        { end: 'criterion', at: 'PT4H' },
      ],
    },
  ],
  'win-back': [
    {
      name: 'Who does not order for sixty days is written to',
      given: [{ event: 'order.paid' }],
      expect: [
        { mail: 'miss', at: '2026-07-31T10:00:00Z' },
        { tag: 'lapsed', at: '2026-08-14T10:00:00Z' },
        { end: 'completed', at: '2026-08-14T10:00:00Z' },
      ],
    },
    {
      name: 'An order begins the sixty days anew',
      given: [
        { event: 'order.paid' },
        { event: 'order.paid', at: 'P30D' },
        { event: 'order.paid', at: 'P60D' },
        { unsubscribe: 'everything', at: 'P61D' },
      ],
      expect: [
        { end: 'restart', at: 'P30D' },
        { end: 'restart', at: 'P60D' },
        { end: 'unsubscribed', at: 'P61D' },
      ],
    },
  ],
  birthday: [
    {
      name: 'Is congratulated, and reminded of the gift a week later',
      given: [{ enroll: true }],
      expect: [
        { mail: 'congratulate', at: 'PT0M' },
        { mail: 'still-there', at: 'P7D' },
        { end: 'completed', at: 'P7D' },
      ],
    },
    {
      name: 'Who orders within the week is not reminded',
      given: [{ enroll: true }, { event: 'order.paid', at: 'P2D' }],
      expect: [
        { mail: 'congratulate', at: 'PT0M' },
        { tag: 'birthday gift used', at: 'P2D' },
        { end: 'completed', at: 'P2D' },
      ],
    },
  ],
  trial: [
    {
      name: 'Is told three days before the end and on the last day',
      given: [{ event: 'trial.started' }],
      expect: [
        { mail: 'soon', at: '2026-06-12T09:00:00Z' },
        { mail: 'last', at: '2026-06-15T09:00:00Z' },
        { end: 'completed', at: '2026-06-15T09:00:00Z' },
      ],
    },
    {
      name: 'Who subscribes hears no more of it',
      given: [{ event: 'trial.started' }, { event: 'subscription.started', at: 'P12D' }],
      expect: [
        { mail: 'soon', at: '2026-06-12T09:00:00Z' },
        { end: 'criterion', at: 'P12D' },
      ],
    },
  ],
  'post-purchase': [
    {
      name: 'Is thanked at once, and asked for a review ten days later',
      given: [{ event: 'order.paid', data: { orderId: 'a' } }],
      expect: [
        { mail: 'thanks', at: 'PT0M' },
        { mail: 'review', at: '2026-06-11T18:00:00Z' },
        { end: 'completed', at: '2026-06-11T18:00:00Z' },
      ],
    },
    {
      name: 'Each order is thanked for by itself',
      given: [
        { event: 'order.paid', data: { orderId: 'a' } },
        { event: 'order.paid', data: { orderId: 'b' }, at: 'P1D' },
      ],
      expect: [
        { mail: 'thanks', at: 'PT0M' },
        { mail: 'thanks', at: 'P1D' },
        { mail: 'review', at: '2026-06-11T18:00:00Z' },
        { mail: 'review', at: '2026-06-12T18:00:00Z' },
        { end: 'completed' },
        { end: 'completed' },
      ],
    },
  ],
  'confirm-reminder': [
    {
      name: 'Who does not confirm is reminded once',
      given: [{ event: 'contact.created' }],
      expect: [
        { mail: 'remind', at: 'P2D' },
        { tag: 'never confirmed', at: 'P7D' },
        { end: 'completed', at: 'P7D' },
      ],
    },
    {
      name: 'Who confirms at once hears nothing of it',
      given: [{ event: 'contact.created' }, { event: 'marketing.confirmed', at: 'PT10M' }],
      expect: [{ end: 'completed', at: 'PT10M' }],
    },
    {
      name: 'Who confirms after the reminder is through',
      given: [{ event: 'contact.created' }, { event: 'marketing.confirmed', at: 'P3D' }],
      expect: [
        { mail: 'remind', at: 'P2D' },
        { end: 'completed', at: 'P3D' },
      ],
    },
  ],
  sunset: [
    {
      name: 'Who does not click is tagged as silent',
      given: [{ enroll: true }],
      expect: [
        { mail: 'still', at: 'PT0M' },
        { tag: 'silent', at: 'P14D' },
        { end: 'completed', at: 'P14D' },
      ],
    },
    {
      name: 'Who clicks stays',
      given: [{ enroll: true }, { click: 'still', at: 'P3D' }],
      expect: [
        { mail: 'still', at: 'PT0M' },
        { end: 'completed', at: 'P14D' },
      ],
    },
  ],
}
