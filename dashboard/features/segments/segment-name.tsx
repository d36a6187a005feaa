import { useSite } from '../../lib/use-site.ts'

const KNOWN_FOR_MS = 60_000

/** How a segment is called, where only its id is known; its number until that is read, and where it is no more. */
export function SegmentName({ id }: { id: string }) {
  const { data } = useSite('GET /segments/{id}', { params: { id } }, { staleMs: KNOWN_FOR_MS })
  return <>{data === undefined ? `segment ${id}` : data.name}</>
}
