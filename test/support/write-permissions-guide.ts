import { writeFile } from 'node:fs/promises'
import { PERMISSIONS_GUIDE, permissionsGuide } from './permissions-guide.ts'

await writeFile(new URL(`../../${PERMISSIONS_GUIDE}`, import.meta.url), await permissionsGuide())
