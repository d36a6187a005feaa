import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

/** The accent from its wash to its ink; the eighth shade is that of buttons in both schemes. */
const post: MantineColorsTuple = [
  '#eef0fd',
  '#dce0fa',
  '#b9c1f4',
  '#939feb',
  '#7484e4',
  '#6073de',
  '#5266e0',
  '#4155d2',
  '#3549c4',
  '#2b3da8',
]

/** What the kit's own variants have no word for. */
const KINDS: Readonly<Record<string, Record<string, string>>> = {
  danger: {
    '--button-bg': 'var(--danger)',
    '--button-hover': 'var(--danger-hover)',
    '--button-color': 'var(--on-accent)',
  },
  quiet: { '--button-color': 'var(--soft)', '--button-hover': 'var(--hover)' },
}

const size = { sm: '32px', xs: '28px', md: '36px' }

/** The head of a layer stays while the rest scrolls: what comes into sight by the keys of a person stands below it. */
const BELOW_HEAD = { content: { scrollPaddingTop: '72px' } }

export const theme = createTheme({
  primaryColor: 'post',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  colors: { post },
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--mono)',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.375rem' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: {
      defaultProps: { size: 'sm' },
      vars: (_theme: unknown, props: { size?: string; 'data-kind'?: string }) => ({
        root: {
          ...KINDS[props['data-kind'] ?? ''],
          '--button-height': size[(props.size ?? 'sm') as keyof typeof size] ?? '32px',
          '--button-padding-x': props.size === 'xs' ? '10px' : '12px',
          '--button-fz': 'var(--text-sm)',
        },
      }),
      styles: { root: { fontWeight: 500 } },
    },
    ActionIcon: { vars: () => ({ root: { '--ai-color': 'var(--soft)', '--ai-hover': 'var(--hover)' } }) },
    Input: {
      defaultProps: { size: 'sm' },
      vars: () => ({ wrapper: { '--input-height': '34px', '--input-bg': 'var(--canvas)' } }),
    },
    InputWrapper: {
      defaultProps: { inputWrapperOrder: ['label', 'description', 'input', 'error'] },
      styles: { label: { fontSize: 'var(--text-sm)', fontWeight: 500, marginBottom: '4px' } },
    },
    Modal: {
      defaultProps: {
        centered: true,
        radius: 'lg',
        padding: 'lg',
        overlayProps: { backgroundOpacity: 0.35, blur: 1 },
        transitionProps: { duration: 100, transition: 'fade' },
        closeButtonProps: { 'aria-label': 'Close' },
      },
      styles: BELOW_HEAD,
    },
    Drawer: {
      defaultProps: {
        padding: 'lg',
        overlayProps: { backgroundOpacity: 0.3 },
        transitionProps: { duration: 120 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
      styles: BELOW_HEAD,
    },
    Tooltip: {
      defaultProps: {
        openDelay: 250,
        withArrow: false,
        radius: 'sm',
        events: { hover: true, focus: true, touch: true },
      },
      styles: { tooltip: { fontSize: 'var(--text-xs)', padding: '4px 8px' } },
    },
  },
})

/** Mantine's own names for our colours, in both schemes; those of its kit that fail WCAG AA are replaced. */
export const cssVariables: CSSVariablesResolver = () => {
  const shared = {
    '--mantine-color-body': 'var(--canvas)',
    '--mantine-color-text': 'var(--ink)',
    '--mantine-color-bright': 'var(--ink)',
    '--mantine-color-dimmed': 'var(--soft)',
    '--mantine-color-placeholder': 'var(--faint)',
    '--mantine-color-anchor': 'var(--accent-ink)',
    '--mantine-color-error': 'var(--bad)',
    '--mantine-color-default': 'var(--canvas)',
    '--mantine-color-default-hover': 'var(--hover)',
    '--mantine-color-default-color': 'var(--ink)',
    '--mantine-color-default-border': 'var(--line-strong)',
    '--mantine-color-disabled': 'var(--sunken)',
    '--mantine-color-disabled-color': 'var(--faint)',
    '--mantine-color-disabled-border': 'var(--line)',
    '--mantine-primary-color-filled': 'var(--accent)',
    '--mantine-primary-color-filled-hover': 'var(--accent-hover)',
    '--mantine-primary-color-light': 'var(--accent-wash)',
    '--mantine-primary-color-light-color': 'var(--accent-ink)',
    '--mantine-color-post-filled': 'var(--accent)',
    '--mantine-color-post-filled-hover': 'var(--accent-hover)',
    '--mantine-color-post-light': 'var(--accent-wash)',
    '--mantine-color-post-light-color': 'var(--accent-ink)',
    '--mantine-shadow-md': 'var(--shadow-float)',
  }
  return { variables: {}, light: shared, dark: shared }
}
