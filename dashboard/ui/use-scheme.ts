import { type MantineColorScheme, useMantineColorScheme } from '@mantine/core'

export type Scheme = MantineColorScheme

/** Light, dark, or as the system has it. */
export function useScheme(): [Scheme, (scheme: Scheme) => void] {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return [colorScheme, setColorScheme]
}
