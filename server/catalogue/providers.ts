type ProviderEntry = {
  /** The kind of an integration's config, what messages and events say they went through, a label of metrics. */
  name: string
  /** Fields of the config beside the sender. A change of any leads elsewhere: to another server, or less protected. */
  settings: readonly string[]
  /** Fields of the config that are sealed and never answered. */
  secrets: readonly string[]
  /** Whether it tells what an account may send. */
  hasQuota: boolean
  /** Domain that a sender's SPF record has to include; null for a server of one's own. */
  spfInclude: string | null
}

/** Ways by which mail leaves (decisions 8). Each has its transport in `modules/sending/transports`. */
const ENTRIES = [
  {
    name: 'smtp',
    settings: ['host', 'port', 'tls', 'username'],
    secrets: ['password'],
    hasQuota: false,
    spfInclude: null,
  },
  {
    name: 'ses',
    settings: ['region', 'endpoint'],
    secrets: ['accessKeyId', 'secretAccessKey'],
    hasQuota: true,
    spfInclude: 'amazonses.com',
  },
] as const satisfies readonly ProviderEntry[]

type Entry = (typeof ENTRIES)[number]
export type Provider = Entry['name']
export const PROVIDERS: readonly Provider[] = ENTRIES.map(({ name }) => name)

/** Providers that tell what an account may send. */
export const PROVIDERS_WITH_QUOTA: readonly Provider[] = ENTRIES.filter(({ hasQuota }) => hasQuota).map(
  ({ name }) => name,
)

export const PROVIDER = Object.fromEntries(ENTRIES.map((entry) => [entry.name, entry])) as Readonly<
  Record<Provider, Entry>
>
