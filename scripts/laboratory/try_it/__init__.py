"""The stored results that the site's page *try it* shows: nothing is simulated in the browser."""
