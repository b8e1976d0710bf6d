async (start) => {
    for (;;) {
        await fetch("/dev/stopping").catch(() => {});
        await new Promise((done) => setTimeout(done, 250));
        const now = await fetch("/dev/start").then((answer) => (answer.ok ? answer.text() : start), () => start);
        // Not `reload`, which would send a form again.
        if (now !== start) location.replace(location.pathname + location.search);
    }
}
