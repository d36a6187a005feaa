import { useHere } from '../lib/permissions.ts'
import { PageHeader } from '../ui/page-header.tsx'
import { Refused } from '../ui/states.tsx'

/** A page that the person's role does not include, by its name. */
export default function RefusedPage({ title = 'Not yours to see' }: { title?: string | undefined }) {
  const { role } = useHere().workspace
  return (
    <>
      <PageHeader title={title} />
      <Refused detail={`You are ${role === 'admin' ? 'an' : 'a'} ${role} of this workspace.`} />
    </>
  )
}
