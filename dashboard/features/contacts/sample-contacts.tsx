import { useAct } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'

/** People of the history of computing, at addresses that nobody has (RFC 2606). */
const PEOPLE = [
  ['ada', 'Ada', 'Lovelace', 'London'],
  ['grace', 'Grace', 'Hopper', 'New York'],
  ['alan', 'Alan', 'Turing', 'Manchester'],
  ['katherine', 'Katherine', 'Johnson', 'Hampton'],
  ['edsger', 'Edsger', 'Dijkstra', 'Eindhoven'],
  ['hedy', 'Hedy', 'Lamarr', 'Vienna'],
  ['tim', 'Tim', 'Berners-Lee', 'Geneva'],
  ['radia', 'Radia', 'Perlman', 'Portsmouth'],
] as const

/** Makes a few people to try things with. Made twice they are still the same eight. */
export default function SampleContacts() {
  const create = useAct('POST /contacts/batch', { changes: ['/contacts'] })
  const make = () => {
    const contacts = PEOPLE.map(([id, firstName, lastName, city]) => ({
      email: `${id}@example.com`,
      firstName,
      lastName,
      customFields: { city },
    }))
    create.mutateAsync({ body: { contacts } }).then(() => say('Eight people to try things with.'), sayProblem)
  }
  return (
    <Button busy={create.isPending} onClick={make}>
      Add eight samples
    </Button>
  )
}
