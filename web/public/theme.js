const theme = localStorage.getItem('crescendo-theme');
if (theme) document.documentElement.dataset.theme = theme;
