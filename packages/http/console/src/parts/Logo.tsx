// The logo: a tent on its pole, in the colour of links.
interface Props {
  readonly size?: number
}

export const Logo = ({ size = 24 }: Props) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="var(--mantine-color-anchor)"
    strokeWidth={1.9}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d="M12 2v19M12 2l5 2-5 2M12 7C10 13 6.5 17.5 2.5 21h19C17.5 17.5 14 13 12 7z" />
  </svg>
)
