import { useEffect, useState } from 'react'
import { useAct } from '../../lib/use-site.ts'

const EVERY_MS = 30_000
/** Ten minutes; then every 15 minutes by itself, as always. */
const TIMES_MAX = 20

/** Has a domain looked up now and again while its page is seen; answers whether it still does. */
export function useRecheck(id: string, { wanted }: { wanted: boolean }): boolean {
  const { mutate } = useAct('POST /sending-domains/{id}/verify')
  const [times, setTimes] = useState(0)
  const isOn = wanted && times < TIMES_MAX
  useEffect(() => {
    if (!isOn) return
    const timer = setInterval(() => {
      if (document.hidden) return
      setTimes((before) => before + 1)
      mutate({ params: { id } })
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [id, isOn, mutate])
  return isOn
}
