import { useSite } from '../../../lib/use-site.ts'
import type { Brand } from './mail-looks.ts'

const STALE_MS = 300_000
const NONE: Brand = { color: null, palette: [], fontFamily: null }

/** How mails of this workspace look. */
export function useBrand(): Brand {
  return useSite('GET /', {}, { staleMs: STALE_MS }).data ?? NONE
}
