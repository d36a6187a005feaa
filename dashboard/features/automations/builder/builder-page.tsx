import { useSiteTagged } from '../../../lib/use-site.ts'
import { usePathId } from '../../../lib/use-url-state.ts'
import { Shown } from '../../../ui/states.tsx'
import { Builder } from './builder.tsx'

/** An automation where it is built. */
export default function BuilderPage() {
  const id = usePathId('automationId')
  const automation = useSiteTagged('GET /automations/{id}', { params: { id } })
  return <Shown read={automation}>{(tagged) => <Builder key={id} tagged={tagged} />}</Shown>
}
