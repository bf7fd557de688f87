// The page of a sign-in: one card in the middle.
import { Center, Paper, Stack, Text } from "@mantine/core"
import { type ReactNode, useEffect } from "react"
import { Logo } from "../../parts/Logo.tsx"

interface Props {
  readonly title: string
  readonly text: string
  readonly children: ReactNode
}

export const Card = ({ children, text, title }: Props) => {
  useEffect(() => {
    document.title = `${title} · Tentpole`
  }, [title])
  return (
    <Center component="main" mih="100vh" p="md" className="door">
      <Stack w="100%" maw={400} gap="lg">
        <Center>
          <Logo size={40} />
        </Center>
        <Paper p="xl" shadow="sm">
          <h1 className="door-title">{title}</h1>
          <Text size="sm" c="dimmed" mb="lg">
            {text}
          </Text>
          {children}
        </Paper>
      </Stack>
    </Center>
  )
}
