import { useSiteTagged } from '../../../lib/use-site.ts'
import { usePathId } from '../../../lib/use-url-state.ts'
import { Shown } from '../../../ui/states.tsx'
import { Builder } from './builder.tsx'

const POLL_MS = 5_000

/** An automation where it is built. */
export default function BuilderPage() {
  const id = usePathId('automationId')
  const automation = useSiteTagged('GET /automations/{id}', { params: { id } }, { pollMs: POLL_MS })
  return <Shown read={automation}>{(tagged) => <Builder key={id} tagged={tagged} />}</Shown>
}
