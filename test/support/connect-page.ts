import assert from 'node:assert/strict'
import type { Answer } from './http-client.ts'
import type { Person, SiteCaller } from './site-caller.ts'

export type Fields = Record<string, string>

const PATH = '/app/connect-agent'

/** The page that asks a person whether an agent may come in, as their browser has it. */
export function connectPage(site: Pick<SiteCaller, 'call'>) {
  const shown = (fields: Fields, { cookie }: Person) =>
    site.call('GET', `${PATH}?${new URLSearchParams(fields)}`, { cookie })

  const answerPage = (fields: Fields, { cookie }: Person) =>
    site.call('POST', PATH, {
      cookie,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    })

  /** A person reads the page and agrees, by a `code` of theirs if they have a second factor; where they are led to. */
  async function consent(fields: Fields, person: Person, more: Fields = {}): Promise<URL> {
    const page = fieldsOf(await shown(fields, person))
    const proof = 'password' in page ? { password: person.password } : {}
    const filled = Object.entries({ ...page, ...proof, answer: 'connect', ...more })
    const answer = await answerPage(Object.fromEntries(filled.filter(([, value]) => value !== '')), person)
    assert.equal(answer.status, 303, answer.text)
    return new URL(String(answer.headers.location))
  }

  return { shown, answerPage, consent }
}

/** The fields that a person's browser would send of a page, as it was shown. */
export function fieldsOf({ text, status }: Answer): Fields {
  assert.equal(status, 200, text)
  const inputs = [...text.matchAll(/<input [^>]*>/g)].map(([input]) => input)
  const attribute = (input: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1] ?? ''
  const sent = inputs.filter((input) => !input.includes('type="checkbox"') || input.includes(' checked'))
  return Object.fromEntries(sent.map((input) => [attribute(input, 'name'), attribute(input, 'value')]))
}
