import { assertNever } from '../../../platform/assert-never.ts'
import type { SmtpDeps } from '../../../platform/mail/open-smtp.ts'
import type { GuardedClient } from '../../../platform/net/guarded-client.ts'
import type { SendingIntegration } from '../../integrations/sending-integration.ts'
import { createSesTransport } from './ses-transport.ts'
import { createSmtpTransport } from './smtp-transport.ts'
import type { Transport } from './transport.ts'

/** Time for handovers that are still under way when the service stops. */
const CLOSE_WITHIN_MS = 6_000

export type TransportsDeps = {
  mail: SmtpDeps
  client: GuardedClient
  onError: (error: unknown) => void
}

/** The ways out of this process: one an integration, shared by whoever sends through it. */
export type Transports = {
  /** Follows the integration's settings: with new ones every later `send` takes the new way, whoever asked for it. */
  of(integration: SendingIntegration): Transport
  close(): Promise<void>
}

type Current = { updatedAt: string; transport: Transport; shared: Transport }

export function createTransports(deps: TransportsDeps): Transports {
  const current = new Map<string, Current>()

  /** The transport that is handed out: stays the same when the one behind it is replaced. */
  function sharedBy(key: string): Transport {
    const behind = () => current.get(key)!.transport
    return {
      get provider() {
        return behind().provider
      },
      get concurrency() {
        return behind().concurrency
      },
      send: (handing) => behind().send(handing),
      close: (withinMs) => behind().close(withinMs),
    }
  }

  return {
    of(integration) {
      const { workspaceId, id, updatedAt } = integration
      const key = `${workspaceId}/${id}`
      const known = current.get(key)
      if (known?.updatedAt === updatedAt) return known.shared
      // Read before the settings changed: what is there is newer.
      if (known !== undefined && Date.parse(known.updatedAt) > Date.parse(updatedAt)) return known.shared
      const shared = known?.shared ?? sharedBy(key)
      current.set(key, { updatedAt, transport: transportOf(deps, integration), shared })
      known?.transport.close().catch(deps.onError)
      return shared
    },
    async close() {
      await Promise.all([...current.values()].map(({ transport }) => transport.close(CLOSE_WITHIN_MS)))
    },
  }
}

function transportOf({ mail, client }: TransportsDeps, { provider, smtp, ses }: SendingIntegration): Transport {
  switch (provider) {
    case 'smtp':
      return createSmtpTransport(mail, smtp!)
    case 'ses':
      return createSesTransport(client, ses!)
    default:
      return assertNever(provider)
  }
}
