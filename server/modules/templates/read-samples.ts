import { readFile } from 'node:fs/promises'

type Sample = {
  key: string
  name: string
  description: string
  subject: string
  variables: Record<string, unknown>
}

/** The templates offered to begin with; each one's body is `samples/<key>.mjml`. */
const SAMPLES: readonly Sample[] = [
  {
    key: 'newsletter',
    name: 'Newsletter',
    description: 'A lead story, two shorter ones side by side, and a footer with the links that marketing mail needs.',
    subject: '{{ first_name | default: "Hello" }}, here is what is new',
    variables: { postal_address: '12 Mill Lane\nYork YO1 7HH' },
  },
  {
    key: 'welcome',
    name: 'Welcome',
    description: 'A warm first mail with three steps to begin with and one clear button.',
    subject: 'Welcome{% if first_name != "" %}, {{ first_name }}{% endif %}!',
    variables: { postal_address: '12 Mill Lane\nYork YO1 7HH' },
  },
  {
    key: 'receipt',
    name: 'Receipt',
    description: 'A transactional mail: the lines of an order from the call’s variables, with a total and an address.',
    subject: 'Your receipt for order {{ order.number }}',
    variables: {
      shop: 'Fernwood',
      order: {
        number: '10421',
        placed_at: '2026-01-15T09:30:00Z',
        currency: 'EUR',
        items: [
          { name: 'Walnut desk organiser', quantity: 1, price: '48.00' },
          { name: 'Linen notebook', quantity: 3, price: '27.00' },
        ],
        shipping: '4.90',
        total: '79.90',
        url: 'https://example.com/orders/10421',
        address: '12 Mill Lane\nYork YO1 7HH',
      },
    },
  },
]

/** The sample templates with their bodies. */
export async function readSamples() {
  return Promise.all(
    SAMPLES.map(async (sample) => {
      const body = await readFile(new URL(`./samples/${sample.key}.mjml`, import.meta.url), 'utf8')
      return { ...sample, body, text: null }
    }),
  )
}
