import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { MovingError } from './moved.ts'

const nullableText = Type.Optional(Type.Union([Type.String(), Type.Null()]))

const Subscriber = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  name: Type.String(),
  status: Type.String(),
  attribs: Type.Record(Type.String(), Type.Unknown()),
  lists: Type.Array(
    Type.Object({
      name: Type.String(),
      optin: Type.String(),
      subscription_status: Type.String(),
      subscription_created_at: nullableText,
      subscription_updated_at: nullableText,
    }),
  ),
})
export type ListmonkSubscriber = Static<typeof Subscriber>

const Template = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  type: Type.String(),
  subject: nullableText,
  body: Type.String(),
})
export type ListmonkTemplate = Static<typeof Template>

const Campaign = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  subject: Type.String(),
  body: Type.String(),
  altbody: nullableText,
  content_type: Type.String(),
  template_id: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
})
export type ListmonkCampaign = Static<typeof Campaign>

const Bounce = Type.Object({ id: Type.Integer(), email: Type.String(), type: Type.String() })
type Bounce = Static<typeof Bounce>

/** The part of listmonk's API that tells what there is; nothing there is changed. */
export type ListmonkApi = {
  subscribers(): AsyncIterable<ListmonkSubscriber>
  templates(): Promise<ListmonkTemplate[]>
  campaigns(): AsyncIterable<ListmonkCampaign>
  bounces(): AsyncIterable<Bounce>
}

type Numbered = { id: number }

const PER_PAGE = 500
const PAGES_MAX = 100_000
const ANSWER_TIMEOUT_MS = 60_000

/**
 * `login` is `user:token` of an API user. The address is the operator's word, who may reach what this machine reaches; an
 * answer that leads elsewhere is not followed.
 */
export function listmonkApi(url: URL, login: string): ListmonkApi {
  const base = url.href.endsWith('/') ? url.href.slice(0, -1) : url.href
  async function get<S extends TSchema>(path: string, schema: S): Promise<Static<S>> {
    const answer = await fetch(`${base}/api/${path}`, {
      headers: { authorization: `token ${login}`, accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    }).catch((cause: Error) => {
      throw new MovingError(
        `${url.host} does not answer: ${(cause.cause as Error | undefined)?.message ?? cause.message}`,
        { cause },
      )
    })
    if (answer.status === 401 || answer.status === 403) {
      throw new MovingError(`${url.host} refuses the login for /api/${path.split('?')[0]}`)
    }
    const body: unknown = await answer.json().catch(() => undefined)
    const data = answer.ok ? (body as { data?: unknown } | undefined)?.data : undefined
    if (!Value.Check(schema, data)) {
      throw new MovingError(
        `${url.host} answers /api/${path.split('?')[0]} with ${answer.status} and not as listmonk does`,
      )
    }
    return data
  }

  /** Each item once. Times may be equal, and pages by them shift: ids are not. */
  async function* pages<S extends TSchema>(path: string, item: S): AsyncGenerator<Static<S>> {
    const Page = Type.Object({ results: Type.Array(item), total: Type.Integer() })
    const seen = new Set<number>()
    for (let page = 1; page <= PAGES_MAX; page++) {
      const query = `page=${page}&per_page=${PER_PAGE}&order_by=id&order=ASC`
      const { results, total } = (await get(`${path}?${query}`, Page)) as { results: Numbered[]; total: number }
      for (const one of results) {
        if (seen.has(one.id)) continue
        seen.add(one.id)
        yield one as Static<S>
      }
      if (seen.size >= total) return
      if (results.length === 0)
        throw new MovingError(
          `${url.host} has ${total} ${path} and showed ${seen.size}: they were changed while they were read, so begin again`,
        )
    }
  }

  return {
    subscribers: () => pages('subscribers', Subscriber),
    templates: async () => get('templates', Type.Array(Template)),
    campaigns: () => pages('campaigns', Campaign),
    bounces: () => pages('bounces', Bounce),
  }
}
