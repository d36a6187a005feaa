import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { Config } from './config.ts'
import { explainListen, ListenError } from './listen-error.ts'
import type { ListenAddress } from './platform/net/listen-address.ts'

type Place = ListenAddress & { setting: string }

/**
 * Tries each address of the settings, before a database is made and a line is logged: one that cannot be listened on is told
 * at once, and alone. All are held until the last is tried, so that two settings of one address are not taken for another program.
 */
export async function tryAddresses(config: Config): Promise<void> {
  const held: { place: Place; server: Server }[] = []
  try {
    for (const place of placesOf(config)) {
      const server = await hold(place).catch((error: unknown) => {
        const same = held.find((one) => one.place.port === place.port)
        if (same === undefined) throw explainListen(textOf(place), error)
        throw new ListenError(`${textOf(place)} cannot be listened on: it is the address of ${textOf(same.place)} too`)
      })
      held.push({ place, server })
    }
  } finally {
    await Promise.all(held.map(({ server }) => new Promise((resolve) => server.close(resolve))))
  }
}

/** As the listeners that fail later name themselves. */
function textOf({ setting, host, port }: Place): string {
  return setting === 'PORT' ? `HOST ${host}, PORT ${port}` : `${setting} ${host ?? ''}:${port}`
}

function placesOf(config: Config): Place[] {
  const { role, host, port, metricsAddress, bounceAddress, submission, mailbox } = config
  const requests: (Place | undefined)[] = [
    { setting: 'PORT', host, port },
    bounceAddress && { setting: 'BOUNCE_ADDR', ...bounceAddress },
    ...(submission?.addresses ?? []).map((address) => ({ setting: 'SUBMISSION_ADDR', ...address })),
  ]
  return [
    ...(role === 'worker' ? [] : requests),
    metricsAddress && { setting: 'METRICS_ADDR', ...metricsAddress },
    role === 'web' || mailbox?.orAnyPort ? undefined : mailbox && { setting: 'MAILBOX_ADDR', ...mailbox },
  ].filter((place) => place !== undefined)
}

async function hold({ host, port }: Place): Promise<Server> {
  // Somebody who comes in the meantime is turned away, and comes again.
  const server = createServer((socket) => socket.destroy())
  server.listen({ port, ...(host === undefined ? {} : { host }) })
  await once(server, 'listening')
  return server
}
